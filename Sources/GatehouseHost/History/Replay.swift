// SPDX-License-Identifier: Apache-2.0

public import GatehouseLibrary
public import GatehouseSDK
internal import GatehouseSupport

/// Tries a configuration on the past: each action that came in then is dispatched again, what follows from it is compared with
/// what followed then, and the state with that to which the recorded actions lead.
///
/// Effects are not run; what they emitted then comes in as it did. Interceptors are not asked about what came in, because what
/// they made of it then is recorded, but about all that follows. Used from one thread.
public final class Replay {
    /// What the state in the end is compared with.
    public enum Reference {
        /// What the generations of then have made of the recorded actions; where none is recorded, what the reducers of a plan
        /// make of them.
        case recorded(HostPlan)
        /// What the reducers of another plan make of the recorded actions.
        case plan(HostPlan)
        /// The state as it was behind the last action.
        case state(Value)
    }

    /// The folder of the journal.
    private let journal: String
    /// What is tried.
    private let candidate: HostPlan
    /// What the state in the end is compared with.
    private let reference: Reference
    /// The images of both.
    private let images: ImageCache
    /// Where instances of the recorded side keep data.
    private var scratch: ScratchFolder?

    /// After so many actions that came in the states are compared, until they differ.
    private static let stride = 1_000

    /// A replay of a plan that starts.
    ///
    /// - Parameters:
    ///   - candidate: what is tried.
    ///   - images: the images of all plans.
    public init(of candidate: HostPlan, against reference: Reference, journal: String, images: ImageCache) {
        self.candidate = candidate
        self.reference = reference
        self.journal = journal
        self.images = images
    }

    /// Goes over a part of the past.
    ///
    /// When the states differ in the end, it goes over the same once more, up to the action after which they first did.
    ///
    /// - Parameters:
    ///   - from: the first action; nil for the first that is kept.
    ///   - to: the last action; nil for the last there is when it begins.
    ///   - last: only so many actions up to there; nil for all.
    ///   - onStep: told of each action that is dispatched again, before it is.
    public func run(
        from: UInt64? = nil, to: UInt64? = nil, last count: UInt64? = nil,
        onStep: (HistoryEntry) -> Void = { _ in }
    ) throws(PastFailure) -> ReplayOutcome {
        let history: History
        let bounds: ClosedRange<UInt64>?
        let earliest: UInt64
        do throws(JournalFailure) {
            history = try History(folder: journal)
            bounds = try history.bounds()
            earliest = try history.earliestState()
        } catch {
            throw .journal(error)
        }
        // A host that runs meanwhile writes more: both sides end at the same action.
        guard let bounds, let end = [to ?? bounds.upperBound, bounds.upperBound].min() else {
            return ReplayOutcome()
        }
        var first = from ?? 1
        if let count, end >= count { first = end - count + 1 }
        // Where actions were removed, no state is left to begin with before the oldest snapshot.
        if earliest < end { first = max(first, earliest + 1) }
        guard first <= end else { return ReplayOutcome() }
        var (outcome, agreement) = try pass(first...end, of: history, onStep) {
            $0.isMultiple(of: Self.stride)
        }
        if case .state = reference { return outcome }
        guard !outcome.state.isEmpty else { return outcome }
        // The part in which it happened, now action by action.
        let limit = agreement.lookedUpTo ?? end
        let (_, exact) = try pass(first...limit, of: history, onStep) { $0 > agreement.same }
        outcome.firstStateDifference = exact.different
        return outcome
    }

    /// How far the states were the same.
    private struct Agreement {
        /// How many actions had come in when they were the same for the last time.
        var same = 0
        /// The action that came in after which they were not; nil as long as they are.
        var different: UInt64?
        /// The last action that is in the states that were not.
        var lookedUpTo: UInt64?
    }

    /// Goes over a part of the past once.
    ///
    /// - Parameter isLooked: whether the states are compared behind so many actions that came in.
    /// - Returns: what came of it, and how far the states were the same.
    private func pass(
        _ part: ClosedRange<UInt64>, of history: History, _ onStep: (HistoryEntry) -> Void,
        _ isLooked: (Int) -> Bool
    ) throws(PastFailure) -> (ReplayOutcome, Agreement) {
        var outcome = ReplayOutcome()
        let first = part.lowerBound
        let steps = PastSteps(HistoryCursor(history.reader, from: first, to: part.upperBound))
        let start = try begin(behind: first - 1)
        var recorded = start.reference
        let tried = try ReplayedHost(candidate, at: start.place, images: images)
        outcome.damage += start.findings
        var agreement = Agreement()
        var last = first - 1
        while let step = try next(steps) {
            onStep(step.root)
            if let misfit = step.root.misfit {
                // Nobody knows what it was: what it led to is reduced as it is recorded.
                outcome.damage.append(
                    "action \(step.root.sequence) was written down without its payload: \(misfit)")
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
        outcome.state = try differences(from: end, tried).map {
            ReplayOutcome.StateDifference(pointer: $0.pointer, recorded: $0.old, found: $0.new)
        }
        outcome.stubbedEffects = tried.host.queue.activity.stubbed
        outcome.reports = tried.reports.sentences
        outcome.reportCount = tried.reports.count
        outcome.damage += steps.damage
        if last >= first { outcome.range = first...last }
        return (outcome, agreement)
    }

    /// The next step.
    private func next(_ steps: PastSteps) throws(PastFailure) -> PastStep? {
        do throws(JournalFailure) {
            return try steps.next()
        } catch {
            throw .journal(error)
        }
    }

    /// Where both sides begin, and the recorded one; nil for one that is a state.
    private func begin(
        behind sequence: UInt64
    ) throws(PastFailure) -> (place: PastWalk.Place, reference: ReplayReference?, findings: [String]) {
        let walk: PastWalk
        do throws(JournalFailure) {
            walk = try PastWalk(folder: journal, acceptsLoss: false)
        } catch {
            throw .journal(error)
        }
        let folder: ScratchFolder
        do throws(ChildFailure) { folder = try ScratchFolder() } catch { throw .child("\(error)") }
        scratch = folder
        let stage = InProcessStage(
            images: images, dependencies: .past(at: PastClock(), dataDirectory: folder.path))
        var present = stage
        switch reference {
        case .recorded(let plan), .plan(let plan): present.plan = plan
        case .state: present.plan = candidate
        }
        let stages = PastWalk.Stages(recorded: stage, present: present)
        let place = try walk.place(behind: sequence, enteringNext: true, by: stages)
        let side: ReplayReference? =
            switch reference {
            case .recorded: ReplayReference(walk, at: place, by: stages)
            case .plan: ReplayReference(walk, at: place, reducedBy: present)
            case .state: nil
            }
        return (place, side, walk.findings.map(\.description))
    }

    /// Where a host's state differs from a recorded one.
    private func differences(
        from recorded: Value?, _ tried: ReplayedHost
    ) throws(PastFailure) -> [ValueDifference] {
        do throws(CodingFailure) {
            return Value.differences(from: recorded, to: try tried.host.snapshot())
        } catch {
            throw .findings(Findings([Finding(.error, "the state cannot be written as JSON: \(error)")]))
        }
    }
}
