// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSupport

/// Something that a trial found about a side as a whole, apart from single differences.
struct TrialFinding: Equatable, Sendable {
    /// The finding in a sentence.
    let sentence: String
    /// The finding for programs.
    let value: Value

    /// A finding about actions of a type that take more instructions.
    init(slow type: String, _ found: TrialCosts.Instructions, heardBy instances: [String]) {
        let (before, now) = (found.before / UInt64(found.steps), found.now / UInt64(found.steps))
        let heard = instances.isEmpty ? "" : " in \(instances.joined(separator: ", "))"
        // Rounded down: it was counted only as far as it decides.
        let times = (Double(now) / Double(max(1, before)) * 100).rounded(.down) / 100
        let what = found.part == .answers ? " to be answered" : ""
        sentence =
            "slow\(heard): \(type) takes at least \(Int(now).grouped) instructions\(what), \(times) times the \(Int(before).grouped) before"
        value = [
            "kind": "slow", "type": .string(type), "instances": .array(instances.map(Value.string)),
            "part": .string(found.part.rawValue), "before": Value(before), "now": Value(now),
            "sentence": .string(sentence),
        ]
    }

    /// A finding about memory that stays.
    init(leaking costs: TrialCosts, in instances: [String]) {
        let who = instances.isEmpty ? "the candidate" : instances.joined(separator: ", ")
        let step = (costs.now.kept - costs.before.kept) / max(1, costs.steps)
        sentence =
            "leaking in \(who): \(costs.now.kept.grouped) bytes stay allocated, \(max(0, costs.before.kept).grouped) before; that is \(step.grouped) more for each action"
        value = [
            "kind": "leaking", "instances": .array(instances.map(Value.string)),
            "before": Value(costs.before.kept), "now": Value(costs.now.kept), "sentence": .string(sentence),
        ]
    }

    /// A finding about code that is not deterministic.
    init(_ unsteady: TrialUnsteadiness) { (sentence, value) = (unsteady.sentence, unsteady.value) }
}

extension TrialOutcome {
    /// The most findings of one kind.
    private static let mostFindings = 20

    /// The findings: what is slow, what leaks, what is not deterministic.
    var findings: [TrialFinding] {
        var findings: [TrialFinding] = []
        if !isAgainstRecord {
            for type in costs.slowTypes.prefix(Self.mostFindings) {
                guard let found = costs.instructions[type] else { continue }
                findings.append(TrialFinding(slow: type, found, heardBy: listeners[type] ?? []))
            }
            if costs.isLeaking { findings.append(TrialFinding(leaking: costs, in: changed)) }
        }
        return findings + unsteady.prefix(Self.mostFindings).map(TrialFinding.init)
    }
}
