// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseSDK

/// Compares the consequences of both sides, step by step; in the second pass also each side with what it did in the first.
struct TrialComparison {
    /// The differences of the first pass.
    private(set) var differences: [TrialDifference] = []
    /// The number of differences of each kind, by what emitted the actions.
    private(set) var counts: [TrialPlace: [TrialDifference.Kind: Int]] = [:]
    /// The types whose actions begin other numbers of effects.
    private(set) var effects: [String: TrialEffects] = [:]
    /// How far the states agreed.
    var agreement = Agreement()
    /// The actions after each of which the states are compared; nil for none.
    var window: ClosedRange<UInt64>?
    /// Where the second pass may end, with the states there; nil before the first pass has got so far.
    var cut: Cut?
    /// The states of the second pass at the cut.
    private(set) var found: (before: Value, now: Value)?
    /// What was not the same in both passes, each place once on each side.
    private(set) var unsteady: [TrialUnsteadiness] = []

    /// What both sides did at the steps where they differed, for the second pass; those of the first such steps.
    private var kept: [UInt64: (before: [FollowingAction], now: [FollowingAction])] = [:]
    /// Digests of the consequences of all steps; empty where there is no second pass to come.
    private var digests: [(before: UInt64, now: UInt64)] = []
    /// Whether this is the first pass.
    private let keepsDigests: Bool
    /// The step of the second pass.
    private var next = 0

    /// The number of steps that the first pass has done since the first difference.
    private var stepsSinceDifference = 0

    /// The most steps whose consequences are kept.
    private static let mostKept = 1_000
    /// How many steps after the first difference are tried once more.
    private static let repeated = 10_000

    /// A place in the past, and the states there.
    struct Cut {
        /// The last action that the states include.
        let sequence: UInt64
        /// The states of both sides.
        let states: (before: Value, now: Value)
    }

    /// The action after which the second pass compares states with those of the first; nil in the first.
    var end: UInt64? { keepsDigests ? nil : cut?.sequence }

    /// Whether the states are wanted as they are after an action.
    func isCut(behind sequence: UInt64) -> Bool {
        keepsDigests
            ? cut == nil && stepsSinceDifference >= Self.repeated : cut?.sequence == sequence && found == nil
    }

    /// Takes note of the states at the cut.
    mutating func note(_ states: (before: Value, now: Value), behind sequence: UInt64) {
        if keepsDigests { cut = Cut(sequence: sequence, states: states) } else { found = states }
    }

    /// A comparison that has seen nothing.
    ///
    /// - Parameter keepsDigests: whether a second pass may follow.
    init(keepsDigests: Bool) { self.keepsDigests = keepsDigests }

    /// The comparison of a second pass with the first.
    init(repeating first: TrialComparison) {
        keepsDigests = false
        kept = first.kept
        digests = first.digests
    }

    /// Compares a step.
    ///
    /// - Parameter place: the place of the step in both logs.
    mutating func compare(_ place: Int, _ step: PastStep, _ before: ConsequenceLog, _ now: ConsequenceLog) {
        guard keepsDigests else { return compareAgain(place, step, before, now) }
        let isSame = before.isSame(place, as: now)
        let effects = (before: before.effects(of: place), now: now.effects(of: place))
        let areEqual = isSame && effects.before == effects.now
        if cut == nil {
            let digest = before.digest(of: place)
            digests.append((digest, areEqual ? digest : now.digest(of: place)))
        }
        if !kept.isEmpty || agreement.different != nil { stepsSinceDifference += 1 }
        if areEqual { return }
        if kept.count < Self.mostKept {
            kept[step.root.sequence] = (before.actions(of: place), now.actions(of: place))
        }
        if !isSame {
            for mismatch in before.mismatches(of: place, with: now) {
                counts[before.place(of: mismatch, with: now), default: [:]][mismatch.kind, default: 0] += 1
                guard differences.count < TrialOutcome.mostKept else { continue }
                differences.append(before.difference(mismatch, with: now, after: step.root.sequence))
            }
        }
        if effects.before != effects.now {
            self.effects[step.root.type, default: TrialEffects(first: step.root.sequence)]
                .add(before: effects.before, now: effects.now)
        }
    }

    /// Compares a step with the same step of the first pass.
    private mutating func compareAgain(
        _ place: Int, _ step: PastStep, _ before: ConsequenceLog, _ now: ConsequenceLog
    ) {
        defer { next += 1 }
        guard next < digests.count else { return }
        let first = digests[next]
        let isBeforeSame = first.before == before.digest(of: place)
        let isNowSame = first.now == now.digest(of: place)
        if isBeforeSame, isNowSame { return }
        let actions = (before: before.actions(of: place), now: now.actions(of: place))
        // A step that was not kept had the same consequences on both sides, or is one of very many.
        let known = kept[step.root.sequence]
        if !isBeforeSame {
            note(.before, step, from: known?.before ?? actions.now, to: actions.before)
        }
        if !isNowSame { note(.now, step, from: known?.now ?? actions.before, to: actions.now) }
    }

    /// Takes note of the places at which a side did something else the second time, each once.
    private mutating func note(
        _ side: TrialUnsteadiness.Side, _ step: PastStep, from first: [FollowingAction],
        to second: [FollowingAction]
    ) {
        for difference in TrialDifference.between(first, second, after: step.root.sequence) {
            let found = TrialUnsteadiness(
                side: side, subject: .action(difference.place), sequence: step.root.sequence,
                first: difference.recorded, second: difference.found)
            if !unsteady.contains(where: { $0.isAbout(found) }) { unsteady.append(found) }
        }
    }

    /// Adds what was found to an outcome.
    func add(to outcome: inout TrialOutcome) {
        outcome.differences = differences
        outcome.counts = counts
        outcome.effects = effects
    }

    /// How far the states agreed.
    struct Agreement {
        /// The last action of the last comparison in which they did; nil where there was none.
        private(set) var same: UInt64?
        /// The action after which they did not; nil while they agree.
        private(set) var different: UInt64?
        /// The last action that the states include that differed.
        private var end: UInt64?

        /// Takes note of a comparison.
        ///
        /// - Parameters:
        ///   - sequence: the last action that was dispatched.
        ///   - last: the last action that the states include.
        mutating func note(areSame: Bool, at sequence: UInt64, upTo last: UInt64) {
            if areSame { same = last } else { (different, end) = (sequence, last) }
        }

        /// The actions among which they came to differ.
        func window(in part: ClosedRange<UInt64>) -> ClosedRange<UInt64> {
            let first = same ?? part.lowerBound - 1
            return first...max(first, end ?? part.upperBound)
        }
    }
}

/// The effects that actions of a type begin on both sides.
struct TrialEffects: Equatable, Sendable {
    /// The first action for which the numbers differ.
    let first: UInt64
    /// The number of effects from the reference, where the numbers differ.
    private(set) var before = 0
    /// The number of effects from the candidate, where the numbers differ.
    private(set) var now = 0

    /// No effects yet.
    init(first: UInt64) { self.first = first }

    /// Adds those of an action.
    mutating func add(before: Int, now: Int) {
        self.before += before
        self.now += now
    }
}
