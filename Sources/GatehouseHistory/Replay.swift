// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
package import GatehouseLibrary
package import GatehousePlan
package import GatehouseRuntime
package import GatehouseSDK
internal import GatehouseSupport

/// Tries a configuration on the past: dispatches each recorded incoming action again, compares its consequences with the
/// recorded ones, and the final state with that of the recorded actions.
///
/// Effects do not run; their recorded actions come in as they did. Interceptors are not asked about incoming actions, because
/// their answers are recorded, but about all that follow. Used from one thread.
package final class Replay {
    /// What the final state is compared with.
    package enum Reference {
        /// The state that the recorded generations made of the recorded actions; where none is recorded, the reducers of a
        /// plan.
        case recorded(HostPlan)
        /// The state that the reducers of another plan make of the recorded actions.
        case plan(HostPlan)
        /// The state as it was after the last action.
        case state(Value)
    }

    /// The folder of the journal.
    private let journal: String
    /// The plan on trial.
    private let candidate: HostPlan
    /// What the final state is compared with.
    private let reference: Reference
    /// The images of both.
    private let images: ImageCache
    /// The data folder for instances of the recorded side.
    private var scratch: ScratchFolder?

    /// The number of incoming actions between comparisons of the states, until they differ.
    private static let stride = 1_000

    /// Creates a replay of a plan.
    ///
    /// - Parameters:
    ///   - candidate: the plan on trial.
    ///   - images: the images of all plans.
    package init(of candidate: HostPlan, against reference: Reference, journal: String, images: ImageCache) {
        self.candidate = candidate
        self.reference = reference
        self.journal = journal
        self.images = images
    }

    /// Replays a part of the past.
    ///
    /// If the final states differ, it replays the same part once more, up to the action after which they first did.
    ///
    /// - Parameters:
    ///   - from: the first action; nil for the first that is kept.
    ///   - to: the last action; nil for the last there is when it begins.
    ///   - last: the most actions up to there; nil for all.
    ///   - onStep: called before each action is dispatched again.
    package func run(
        from: UInt64? = nil, to: UInt64? = nil, last count: UInt64? = nil,
        onStep: (JournalRecord) -> Void = { _ in }
    ) throws(PastFailure) -> ReplayOutcome {
        let history = try PastFailure.reading(try History(folder: journal))
        let bounds = try PastFailure.reading(try history.bounds())
        let earliest = try PastFailure.reading(try history.earliestState())
        // A running host writes more meanwhile: both sides end at the same action.
        guard let bounds, let end = [to ?? bounds.upperBound, bounds.upperBound].min() else {
            return ReplayOutcome()
        }
        var first = from ?? 1
        if let count, end >= count { first = end - count + 1 }
        // Where actions were removed, no state from before the oldest snapshot is left to start with.
        if earliest < end { first = max(first, earliest + 1) }
        guard first <= end else { return ReplayOutcome() }
        var (outcome, agreement) = try pass(first...end, of: history, onStep) {
            $0.isMultiple(of: Self.stride)
        }
        if case .state = reference { return outcome }
        guard !outcome.state.isEmpty else { return outcome }
        // Repeats the part with the first difference, now action by action.
        let limit = agreement.lookedUpTo ?? end
        let (_, exact) = try pass(first...limit, of: history, onStep) { $0 > agreement.same }
        outcome.firstStateDifference = exact.different
        return outcome
    }

    /// How far the states agreed.
    private struct Agreement {
        /// The number of incoming actions when they last agreed.
        var same = 0
        /// The incoming action after which they did not; nil while they agree.
        var different: UInt64?
        /// The last action included in the states that differed.
        var lookedUpTo: UInt64?
    }

    /// Replays a part of the past once.
    ///
    /// - Parameter isLooked: whether to compare the states after that many incoming actions.
    /// - Returns: the outcome, and how far the states agreed.
    private func pass(
        _ part: ClosedRange<UInt64>, of history: History, _ onStep: (JournalRecord) -> Void,
        _ isLooked: (Int) -> Bool
    ) throws(PastFailure) -> (ReplayOutcome, Agreement) {
        var outcome = ReplayOutcome()
        let first = part.lowerBound
        let steps = PastSteps(HistoryCursor(history.reader, from: first, to: part.upperBound))
        let start = try begin(behind: first - 1)
        var recorded = start.reference
        let tried = try ReplayedHost(candidate, at: start.place, images: images)
        outcome.damage += start.diagnostics
        var agreement = Agreement()
        var last = first - 1
        while let step = try PastFailure.reading(try steps.next()) {
            onStep(step.root)
            if let encodingFailure = step.root.encodingFailure {
                // The action is unknown: its consequences are reduced as recorded.
                outcome.damage.append(
                    "action \(step.root.sequence) was recorded without its payload: \(encodingFailure)")
            }
            outcome.dispatched += 1
            outcome.recorded += step.consequences.count
            let found = tried.dispatch(step)
            outcome.found += found.count
            outcome.add(
                ReplayDifference.between(
                    step.consequences.map(FollowingAction.init), found, after: step.root.sequence))
            last = max(last, step.last)
            guard recorded != nil, agreement.different == nil, step.isClosed, isLooked(outcome.dispatched)
            else { continue }
            try recorded?.advance(to: last)
            if try differences(from: recorded?.place.state.whole, tried).isEmpty {
                agreement.same = outcome.dispatched
            } else {
                agreement.different = step.root.sequence
                agreement.lookedUpTo = last
            }
        }
        let end: Value?
        if case .state(let state) = reference {
            end = state
        } else {
            try recorded?.advance(to: last)
            end = recorded?.place.state.whole
        }
        outcome.state = try differences(from: end, tried)
        outcome.stubbedEffects = tried.host.queue.activity.stubbed
        outcome.reports = tried.reports.sentences
        outcome.reportCount = tried.reports.count
        outcome.damage += steps.damage
        if last >= first { outcome.range = first...last }
        return (outcome, agreement)
    }

    /// Returns where both sides begin, and the recorded one; nil if that is a state.
    private func begin(
        behind sequence: UInt64
    ) throws(PastFailure) -> (place: PastWalk.Place, reference: ReplayReference?, diagnostics: [String]) {
        let walk = try PastFailure.reading(try PastWalk(folder: journal, acceptsLoss: false))
        let folder = try PastFailure.scratchFolder()
        scratch = folder
        let reducer = InProcessReducer(
            images: images, dependencies: .past(at: PastClock(), dataDirectory: folder.path))
        var present = reducer
        switch reference {
        case .recorded(let plan), .plan(let plan): present.plan = plan
        case .state: present.plan = candidate
        }
        let reducers = PastWalk.Reducers(recorded: reducer, present: present)
        let place = try walk.place(behind: sequence, enteringNext: true, by: reducers)
        let side: ReplayReference? =
            switch reference {
            case .recorded: ReplayReference(walk: walk, reducers: reducers, substitute: nil, place: place)
            case .plan: ReplayReference(walk: walk, reducers: reducers, substitute: present, place: place)
            case .state: nil
            }
        return (place, side, walk.diagnostics.map(\.description))
    }

    /// Returns the differences between a host's state and a recorded one.
    private func differences(
        from recorded: Value?, _ tried: ReplayedHost
    ) throws(PastFailure) -> [ValueDifference] {
        do throws(CodingFailure) {
            return Value.differences(from: recorded, to: try tried.host.snapshot())
        } catch {
            throw .diagnostics(Diagnostics(error: "the state cannot be written as JSON: \(error)"))
        }
    }
}
