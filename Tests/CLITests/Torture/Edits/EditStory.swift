// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import SeededTesting
import Testing

/// What becomes of two hosts by one seed: the same actions and edits, as reloads for one of them, after crashes for the other.
struct EditStory {
    /// How many edits there are.
    private static let steps = 6

    /// What a failure is to be repeated from.
    private let seed: UInt64
    /// Decides about everything.
    private var generator: SeededGenerator
    /// What happened so far, a line each.
    private var log: [String] = []

    /// A story of which nothing was told.
    init(seed: UInt64) {
        self.seed = seed
        generator = SeededGenerator(seed: seed)
    }

    /// Lets everything happen; a difference is told with all that led to it, and ends the story.
    mutating func tell() throws {
        let every = [5, 20, 50, 100_000].randomElement(using: &generator) ?? 5
        var plan = EditedPlan(snapshotEvery: every, using: &generator)
        var past = [plan]
        log = ["snapshot every \(every)"]
        let (reference, subject) = (try EditedHost(plan), try EditedHost(plan))
        do {
            try reference.start()
            try subject.start()
            for _ in 0..<Self.steps {
                try act(on: reference, subject)
                guard try agree(reference, subject, "after the actions") else { return }
                if Int.random(in: 0..<3, using: &generator) == 0 {
                    try failToReload(subject, from: plan, beside: reference)
                    try act(on: reference, subject)
                    guard try agree(reference, subject, "after a change that was taken back") else { return }
                }
                try subject.kill()
                change(&plan, &past)
                try reference.edit(to: plan)
                log.append("reload: \(try reference.reload().json())")
                try subject.edit(to: plan)
                try crash(subject)
                try subject.start()
                guard try agree(reference, subject, "after the edit") else { return }
            }
            try act(on: reference, subject)
            try reference.end()
            try subject.kill()
            try reference.start()
            try subject.start()
            _ = try agree(reference, subject, "after an end in order, and a crash")
        } catch {
            Issue.record("\(story)\n\(error)\n\(words(of: subject))")
        }
    }

    // MARK: - Implementation details

    /// Gives both hosts the same actions.
    private mutating func act(on hosts: EditedHost...) throws {
        let count = [0, 3, 12, 30].randomElement(using: &generator) ?? 3
        let lines = (0..<count).map { _ in line() }
        log.append("send \(lines.joined(separator: " "))")
        for host in hosts { try host.send(lines) }
    }

    /// A random action.
    private mutating func line() -> String {
        let to = (EditedPlan.ids + ["x", "y"]).randomElement(using: &generator) ?? "a"
        let number = Int.random(in: 1...200, using: &generator)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: return #"{"type":"flip/now","payload":\#(number % 2 == 0)}"#
        case 1: return #"{"type":"host/gate/\#(number % 2 == 0 ? "open" : "close")","payload":"\#(to)"}"#
        case 2 where number < 50:
            return #"{"type":"host/state/merge","payload":{"flags":{"open":\#(number % 2 == 0)}}}"#
        case 2: return #"{"type":"\#(to)/reset"}"#
        case 3, 4: return #"{"type":"\#(to)/add","payload":\#(number)}"#
        case 5, 6: return #"{"type":"\#(to)/sold","payload":\#(number)}"#
        case 7: return #"{"type":"\#(to)/decrement","payload":{"by":\#(number)}}"#
        default: return #"{"type":"\#(to)/increment"}"#
        }
    }

    /// Edits a plan once or several times, or takes back what was edited.
    private mutating func change(_ plan: inout EditedPlan, _ past: inout [EditedPlan]) {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: log.append("edit nothing")
        case 1...3:
            let place = Int.random(in: 0..<past.count, using: &generator)
            plan = past[place]
            log.append(
                "edit back to plan \(place): \(plan.text) \(plan.libraries.sorted { $0.key < $1.key })")
        default:
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                log.append("edit: \(plan.edit(using: &generator))")
            }
        }
        past.append(plan)
    }

    /// Has a host try a change of which one instance fails at its start, so that nothing comes of it.
    ///
    /// Actions that come meanwhile are those of which nothing follows, and the change does not touch how instances hear them.
    private mutating func failToReload(
        _ host: EditedHost, from plan: EditedPlan, beside other: EditedHost
    ) throws {
        let isBusy = Bool.random(using: &generator)
        var failing = plan
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            log.append("try: \(failing.edit(codeAlone: isBusy, using: &generator))")
        }
        log.append("try: \(failing.addFailing(using: &generator))")
        try host.edit(to: failing)
        let lines = isBusy ? (0..<1_000).map { _ in line() }.filter { !$0.contains("/sold") } : []
        if isBusy { log.append("send \(lines.joined(separator: " "))") }
        var answer = Value.null
        try host.send(lines) { answer = try host.reload() }
        try other.send(lines)
        log.append("which is taken back: \(answer.json())")
        if answer["result"] != "refused" { Issue.record("\(story)\nthe change is not refused") }
        try host.edit(to: plan)
    }

    /// Kills a host a few times while it starts, or not at all.
    private mutating func crash(_ host: EditedHost) throws {
        guard Int.random(in: 0..<4, using: &generator) == 0 else { return }
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            let delay = UInt32.random(in: 0..<300_000, using: &generator)
            log.append("kill after \(delay / 1_000) ms of a start")
            try host.startAndKill(after: delay)
        }
    }

    /// Expects that both hosts have the same state.
    private func agree(_ reference: EditedHost, _ subject: EditedHost, _ moment: String) throws -> Bool {
        let (wanted, found) = (try reference.state(), try subject.state())
        if wanted == found { return true }
        Issue.record(
            """
            \(story)
            \(moment), the reload has
            \(wanted.json())
            and the start after the crash
            \(found.json())
            \(words(of: subject))
            """)
        return false
    }

    /// What has happened.
    private var story: String { (["seed \(seed)"] + log).joined(separator: "\n") }

    /// What a host has said.
    private func words(of host: EditedHost) -> String { (try? host.words()) ?? "it cannot be asked" }
}
