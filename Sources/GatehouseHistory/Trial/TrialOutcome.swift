// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseSDK

/// The outcome of a trial.
package struct TrialOutcome: Sendable {
    /// Whether the candidate was compared with the record; otherwise with another plan.
    let isAgainstRecord: Bool
    /// The first and the last action of the trial; nil when there was none.
    var range: ClosedRange<UInt64>?
    /// Actions dispatched again: those that came in, or came from effects.
    var dispatched = 0
    /// Their consequences from the reference.
    var recorded = 0
    /// Their consequences from the candidate.
    var found = 0
    /// Effects of the candidate that were not run.
    var stubbedEffects = 0
    /// The differences in consequences, in order; only the first of many.
    var differences: [TrialDifference] = []
    /// The number of differences of each kind, by what emitted the actions.
    var counts: [TrialPlace: [TrialDifference.Kind: Int]] = [:]
    /// The types whose actions begin other numbers of effects.
    var effects: [String: TrialEffects] = [:]
    /// The differences between the final states, of the reference and of the candidate.
    var state: [ValueDifference] = []
    /// The instance that owns each place of `state`; nil for none.
    var owners: [String?] = []
    /// The action after which the states first differed; nil where they never did, or did from the beginning.
    var firstStateDifference: UInt64?
    /// What led to the first difference, itself last.
    var causes: [JournalRecord] = []
    /// The reports about bad data.
    var reports = TrialReports()
    /// What both sides cost; nothing where the reference is the record.
    var costs = TrialCosts()
    /// The types whose steps seem to take longer with the candidate.
    var suspiciousTypes: Set<String> = []
    /// The candidate's instances that hear the types which take more instructions.
    var listeners: [String: [String]] = [:]
    /// The candidate's instances that the reference has not, or has with another library or other settings.
    var changed: [String] = []
    /// What a side did otherwise the second time.
    private(set) var unsteady: [TrialUnsteadiness] = []
    /// Sentences about missing parts of the journal.
    package var damage: [String] = []

    /// The most differences kept.
    static let mostKept = 1_000

    /// An outcome in which nothing differs.
    init(isAgainstRecord: Bool) { self.isAgainstRecord = isAgainstRecord }

    /// Whether consequences, effects, states or reports differ; those of the record are unknown for effects and reports.
    var hasDifferences: Bool {
        !counts.isEmpty || !state.isEmpty
            || !isAgainstRecord && (!effects.isEmpty || !reports.differing.isEmpty)
    }

    /// Whether there is nothing that an operator has to decide about.
    package var isSame: Bool {
        !hasDifferences && (isAgainstRecord || costs.slowTypes.isEmpty && !costs.isLeaking)
    }

    /// The number of differences of each kind.
    var kinds: [TrialDifference.Kind: Int] {
        counts.values.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
    }

    /// The action from which the first difference follows; nil where only states differ.
    package var firstDifference: UInt64? {
        let effects = isAgainstRecord ? nil : self.effects.values.map(\.first).min()
        return [differences.first?.cause, effects].compactMap(\.self).min() ?? firstStateDifference
    }

    // MARK: - Taking results

    /// Takes the final states of both sides.
    mutating func addState(from before: Value, to now: Value, of plan: HostPlan) {
        state = Value.differences(from: before, to: now)
        owners = state.map { Self.owner(of: $0.pointer, in: plan) }
    }

    /// Takes the numbers of a row of steps, and says which of their actions are unknown.
    mutating func add(_ steps: [PastStep], from before: ConsequenceLog, _ now: ConsequenceLog) {
        dispatched += steps.count
        recorded += before.count
        found += now.count
        for step in steps {
            guard let failure = step.root.encodingFailure else { continue }
            // Its consequences are reduced as recorded.
            damage.append("action \(step.root.sequence) was recorded without its payload: \(failure)")
        }
    }

    /// Takes what was not the same in both passes.
    mutating func add(_ found: [TrialUnsteadiness]) { unsteady += found }

    /// Takes the final states of both passes.
    mutating func addUnsteadyState(
        before: (first: Value, second: Value), now: (first: Value, second: Value), of plan: HostPlan
    ) {
        for (side, states) in [(TrialUnsteadiness.Side.before, before), (.now, now)] {
            unsteady += Value.differences(from: states.first, to: states.second).prefix(Self.mostKept).map {
                TrialUnsteadiness(
                    side: side, subject: .state($0.pointer, instance: Self.owner(of: $0.pointer, in: plan)),
                    sequence: range?.upperBound ?? 0, first: $0.old, second: $0.new)
            }
        }
    }

    /// Leaves out the differences at places where the reference itself is not deterministic: they say nothing about the candidate.
    ///
    /// So is the state of the instances that emit or hear an action which the reference emits by chance, although both passes may have led
    /// to the same state.
    mutating func excuseUnsteadyReference(of plan: HostPlan) {
        guard !isAgainstRecord else { return }
        for one in unsteady where one.side == .before {
            switch one.subject {
            case .action(let place):
                counts[place] = nil
                differences.removeAll { $0.place == place }
                let listeners = plan.instances.filter {
                    $0.id == place.instance || $0.names.local(of: place.type) != nil
                }
                let changing = Set(listeners.map(\.id))
                leaveOutState { $1.map(changing.contains) ?? false }
            case .state(let pointer, _):
                leaveOutState { difference, _ in Self.overlap(difference.pointer, pointer) }
            }
        }
        if state.isEmpty { firstStateDifference = nil }
    }

    /// Leaves out some of the differences between states, by themselves and the instances that own their places.
    private mutating func leaveOutState(where isExcused: (ValueDifference, String?) -> Bool) {
        let kept = zip(state, owners).filter { !isExcused($0.0, $0.1) }
        (state, owners) = (kept.map(\.0), kept.map(\.1))
    }

    /// Whether one place is the other, or is in it.
    private static func overlap(_ one: JSONPointer, _ other: JSONPointer) -> Bool {
        one.tokens.starts(with: other.tokens) || other.tokens.starts(with: one.tokens)
    }

    /// Returns the instance of a plan whose slice a place is in; nil for none.
    private static func owner(of pointer: JSONPointer, in plan: HostPlan) -> String? {
        plan.instances.first { $0.slice.map { pointer.tokens.starts(with: $0.tokens) } == true }?.id
    }
}
