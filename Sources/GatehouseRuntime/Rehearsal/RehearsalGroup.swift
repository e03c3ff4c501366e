// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseSDK
internal import GatehouseSupport

/// Images tried one after the other: in one child, and after each death the rest in another.
struct RehearsalGroup: Sendable {
    /// The outcome for the images.
    struct Report: Sendable {
        /// Why instances are refused, by id.
        var refused: [String: Diagnostic] = [:]
        /// The acts that passed.
        var passed: [RehearsalAct] = []
        /// Why the rest could not be tried; nil for nothing.
        var obstacle: ChildFailure?
        /// Whether the end was requested.
        var isStopped = false
    }

    /// The program that tries them.
    var program = HostChild.ownProgram
    /// The images that one child rehearses, in order.
    let acts: [RehearsalAct]
    /// How long one step may take.
    let limit: Duration
    /// Ends the child when it becomes readable; nil for nothing.
    let stop: Int32?

    /// The most images in one child: the Swift runtime searches all loaded images again and again.
    static let size = 256

    /// The most crashed children that write a backtrace, each of which takes a moment.
    private static let mostBacktraces = 3

    /// Tries all images; returns when the last child has ended.
    func perform() -> Report {
        var report = Report()
        var acts = acts
        var deaths = 0
        do throws(ChildFailure) {
            while !acts.isEmpty {
                let request = RehearsalRequest(images: acts.map(\.image))
                let child = try HostChild(
                    program, .rehearse, request: request.bytes, images: acts.compactMap(\.inherited),
                    access: .reading(for: acts.flatMap { act in act.instances.map { ($0, act.path) } }),
                    tracesCalls: deaths < Self.mostBacktraces)
                let outcome = child.follow(HostChild.Limits(time: limit), stop: stop) {
                    RehearsalEvent(line: $0) != nil
                }
                report.isStopped = outcome.end == .stopped
                if report.isStopped { break }
                let account = RehearsalAccount(of: acts, outcome)
                report.passed += account.passed.map { acts[$0] }
                report.refused.merge(account.refused) { first, _ in first }
                guard account.blamed || outcome.end == .finished else {
                    throw ChildFailure("gatehouse rehearse", reason: outcome.end.text ?? "it did nothing")
                }
                acts = account.left
                deaths += 1
            }
        } catch {
            report.obstacle = error
        }
        return report
    }
}

/// The result of one child: the refused instances, and the remaining acts.
struct RehearsalAccount {
    /// Why instances are refused, by id.
    private(set) var refused: [String: Diagnostic] = [:]
    /// The acts for another child; empty when this one finished.
    private(set) var left: [RehearsalAct] = []
    /// The numbers of the acts that passed.
    let passed: [Int]
    /// Whether the end of the child is blamed on an image.
    private(set) var blamed = false

    /// Reads a child's events about its images.
    init(of acts: [RehearsalAct], _ outcome: HostChild.Outcome) {
        var done = 0
        var last: (step: LoadingStep, image: Int, instance: Int?)?
        var objected = Set<Int>()
        for event in outcome.lines.compactMap({ RehearsalEvent(line: $0) }) {
            switch event {
            case .step(let step, let image, let instance): last = (step, image, instance)
            case .objection(let objection, let image, let instance):
                objected.insert(image)
                for planned in Self.instances(acts, image, instance) {
                    refused[planned.id] = planned.diagnostic(objection)
                }
            case .done(let image): done = image + 1
            case .end: done = acts.count
            }
        }
        let reason = outcome.end.text
        // An image that dies after its last step, by a thread that it left, has not passed.
        if reason != nil, let last { done = min(done, last.image) }
        passed = (0..<min(done, acts.count)).filter { !objected.contains($0) }
        guard let reason, let last, acts.indices.contains(last.image) else { return }
        blamed = true
        let calls = Backtrace.lines(in: outcome.words, library: acts[last.image].content.file.name)
        for (place, planned) in Self.instances(acts, last.image, last.instance).enumerated() {
            let sentence =
                "in a rehearsal it \(reason) \(last.step.text(for: last.instance == nil ? nil : planned.id)); \(Self.advice(outcome.end))"
            // Once is enough.
            let lines = place == 0 ? calls.map { "\n      " + $0 }.joined() : ""
            refused[planned.id] = planned.refusal([sentence + lines])
        }
        let gone = Array(refused.keys)
        left = acts[done...].compactMap { $0.without(gone) }
    }

    /// Returns advice for an author or operator about an end.
    private static func advice(_ end: ChildEnd) -> String {
        if case .hung = end { return "correct the plugin, or allow more time with \"limits\"/\"rehearsal\"" }
        return "correct the plugin"
    }

    /// Returns the instances that an event is about.
    private static func instances(_ acts: [RehearsalAct], _ image: Int, _ instance: Int?) -> [PlannedInstance]
    {
        guard acts.indices.contains(image) else { return [] }
        let all = acts[image].instances
        guard let instance else { return all }
        return all.indices.contains(instance) ? [all[instance]] : []
    }
}

extension PlannedInstance {
    /// Returns the diagnostic for an objection.
    fileprivate func diagnostic(_ objection: RehearsalObjection) -> Diagnostic {
        switch objection {
        case .settings(let pointer, let expected, let found):
            fault(inSettings: CodingFailure(pointer: pointer, expected: expected, found: found))
        case .reasons(let reasons): refusal(reasons)
        }
    }
}

extension LoadingStep {
    /// Describes the step, as the end of a sentence.
    fileprivate func text(for instance: String?) -> String {
        switch self {
        case .load: "while it was loaded, in code that runs before its entry"
        case .entry: "in its entry"
        case .names: "when it was asked which actions it knows"
        case .parts: "while the parts of the instance \(instance ?? "") were made"
        case .state: "while the state of the instance \(instance ?? "") was written and read again"
        case .handover: "while the state of the instance \(instance ?? "") was taken over"
        case .end: "when it was released, as at the end of a run"
        }
    }
}
