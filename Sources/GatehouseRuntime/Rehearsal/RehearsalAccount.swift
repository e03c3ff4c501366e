// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseSupport

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
        case .settings(let failure): fault(inSettings: failure)
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
