// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSupport

/// What one child leaves: who is refused, and what is still to be tried.
struct RehearsalAccount {
    /// Why instances are refused, by id.
    private(set) var refused: [String: Finding] = [:]
    /// What another child has to try; empty when this one came to the end.
    private(set) var left: [RehearsalAct] = []
    /// The numbers of the acts of which nothing is wrong.
    let passed: [Int]
    /// Whether the end of the child is somebody's doing.
    private(set) var blamed = false

    /// Reads what a child has told about the images that it was given.
    init(of acts: [RehearsalAct], _ outcome: HostChild.Outcome) {
        var done = 0
        var last: (step: LoadingStep, image: Int, instance: Int?)?
        var objected = Set<Int>()
        for message in outcome.lines.compactMap({ RehearsalMessage(line: $0) }) {
            switch message {
            case .step(let step, let image, let instance): last = (step, image, instance)
            case .objection(let objection, let image, let instance):
                objected.insert(image)
                for planned in Self.instances(acts, image, instance) {
                    refused[planned.id] = planned.finding(objection)
                }
            case .done(let image): done = image + 1
            case .end: done = acts.count
            }
        }
        let reason = outcome.end.text
        // What dies after its last step, by a thread that it left, has not passed.
        if reason != nil, let last { done = min(done, last.image) }
        passed = (0..<min(done, acts.count)).filter { !objected.contains($0) }
        guard let reason, let last, acts.indices.contains(last.image) else { return }
        blamed = true
        let calls = Backtrace.lines(in: outcome.words, library: acts[last.image].content.file.name)
        for (place, planned) in Self.instances(acts, last.image, last.instance).enumerated() {
            let sentence =
                "in a rehearsal it \(reason) \(last.step.text(for: last.instance == nil ? nil : planned.id)); \(Self.advice(outcome.end))"
            // Said once is enough.
            let lines = place == 0 ? calls.map { "\n      " + $0 }.joined() : ""
            refused[planned.id] = planned.refusal([sentence + lines])
        }
        let gone = Array(refused.keys)
        left = acts[done...].compactMap { $0.without(gone) }
    }

    /// What an author or an operator can do about an end.
    private static func advice(_ end: ChildEnd) -> String {
        if case .hung = end { return "correct the plugin, or allow more time with \"limits\"/\"rehearsal\"" }
        return "correct the plugin"
    }

    /// The instances that a message is about.
    private static func instances(_ acts: [RehearsalAct], _ image: Int, _ instance: Int?) -> [PlannedInstance]
    {
        guard acts.indices.contains(image) else { return [] }
        let all = acts[image].instances
        guard let instance else { return all }
        return all.indices.contains(instance) ? [all[instance]] : []
    }
}

extension PlannedInstance {
    /// What an operator is told about an objection.
    fileprivate func finding(_ objection: RehearsalObjection) -> Finding {
        switch objection {
        case .settings(let failure): fault(inSettings: failure)
        case .reasons(let reasons): refusal(reasons)
        }
    }
}

extension LoadingStep {
    /// When, as the end of a sentence.
    fileprivate func text(for instance: String?) -> String {
        switch self {
        case .load: "while it was loaded, in code that runs before its entry"
        case .entry: "in its entry"
        case .names: "when it was asked which actions it knows"
        case .parts: "while the parts of the instance \(instance ?? "") were made"
        case .state: "while the state of the instance \(instance ?? "") was written and read again"
        case .handover: "while the state of the instance \(instance ?? "") was taken over"
        case .end: "when it was let go of, as at the end of a run"
        }
    }
}
