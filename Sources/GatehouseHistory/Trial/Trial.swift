// SPDX-License-Identifier: Apache-2.0

package import GatehouseControl
internal import GatehouseJournal
package import GatehouseLibrary
package import GatehousePlan
package import GatehouseRuntime
internal import GatehouseSDK
internal import GatehouseSupport

/// Tries a candidate on the past: each recorded action that came in, or came from an effect, is dispatched again to the candidate and to
/// its reference, and their consequences, states and costs are compared.
///
/// Effects do not run; their recorded actions come in as they did. Interceptors are not asked about incoming actions, because
/// their answers are recorded, but about all that follow. Where something differs, the same part is tried once more on new hosts: what
/// then differs from the first time is not deterministic. Used from one thread.
package final class Trial {
    /// What a candidate is compared with.
    package enum Reference {
        /// The recorded consequences, and the state that the recorded generations made of the recorded actions; where none is recorded,
        /// the reducers of a plan.
        case recorded(HostPlan)
        /// What another plan makes of the same actions.
        case plan(HostPlan)
    }

    /// The folder of the journal.
    private let journal: String
    /// The plan on trial.
    private let candidate: HostPlan
    /// What it is compared with.
    private let reference: Reference
    /// The images of both.
    private let images: ImageCache
    /// Where others find which action is in hand; nil where nobody looks.
    private let recorder: FlightRecorder?
    /// Whether instructions may be counted, in which case SIGTRAP belongs to the trial.
    private let countsInstructions: Bool
    /// Whether both sides work at the same time; who dies meanwhile may not be known.
    private let isParallel: Bool
    /// Makes what takes the outputs that leave the store, by the plan of the store; nil where none do.
    private let route: (HostPlan) -> (any OutputRoute)?
    /// Called before the instructions of a step are counted, which takes long, with true, and afterwards with false.
    private let onCount: (Bool) -> Void
    /// Where the pass in hand began, with the data folder of the instances that reduce the record.
    private var ground: TrialGround?

    /// The number of steps of a row.
    private static let batch = 1_024
    /// The most comparisons of states before they differ.
    private static let comparisons: UInt64 = 256
    /// The fewest actions between two comparisons.
    private static let shortest: UInt64 = 1_000

    /// Creates a trial of a plan.
    ///
    /// - Parameters:
    ///   - candidate: the plan on trial.
    ///   - images: the images of all plans.
    ///   - recorder: where others find which action is in hand; nil where nobody looks.
    ///   - countsInstructions: whether instructions may be counted, in which case SIGTRAP belongs to the trial.
    ///   - isParallel: whether both sides work at the same time; who dies meanwhile may not be known.
    ///   - onCount: called before the instructions of a step are counted, which takes long, with true, and afterwards with false.
    ///   - route: makes what takes the outputs that leave the store, by the plan of the store; nil where none do.
    package init(
        of candidate: HostPlan, against reference: Reference, journal: String, images: ImageCache,
        recorder: FlightRecorder? = nil, countsInstructions: Bool = true, isParallel: Bool = true,
        onCount: @escaping (Bool) -> Void = { _ in },
        leavingBy route: @escaping (HostPlan) -> (any OutputRoute)? = { _ in nil }
    ) {
        self.candidate = candidate
        self.reference = reference
        self.journal = journal
        self.images = images
        self.recorder = recorder
        self.countsInstructions = countsInstructions
        self.isParallel = isParallel
        self.route = route
        self.onCount = onCount
    }

    /// Tries the candidate on a part of the past.
    ///
    /// - Parameter onProgress: called now and then with the number of actions that are done, and of all that are to be done; the latter
    ///   doubles where the part is tried once more.
    package func run(
        _ extent: TrialExtent = TrialExtent(),
        onProgress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
    ) throws(PastFailure) -> TrialOutcome {
        let history = try PastFailure.reading(try History(folder: journal))
        var outcome = TrialOutcome(isAgainstRecord: isAgainstRecord)
        guard let part = try PastFailure.reading(try extent.part(of: history)) else { return outcome }
        let total = part.upperBound - part.lowerBound + 1
        var first = TrialComparison(keepsDigests: true)
        let states = try pass(
            part, history, &outcome, &first, isFirst: true, onProgress: { onProgress($0, total) })
        first.add(to: &outcome)
        outcome.addState(from: states.before, to: states.now, of: candidate)
        if countsInstructions, !isAgainstRecord, !outcome.suspiciousTypes.isEmpty,
            outcome.costs.instructions.isEmpty
        {
            try countInstructions(part, history, &outcome)
        }
        outcome.changed = changed.map(\.id)
        for type in outcome.costs.slowTypes {
            outcome.listeners[type] = changed.filter { $0.names.local(of: type) != nil }.map(\.id)
        }
        guard outcome.hasDifferences else { return outcome }
        outcome.causes = try PastFailure.reading(try causes(of: outcome, in: history))
        // Reports alone differ as they did: there is nothing that could come out otherwise.
        guard !outcome.counts.isEmpty || !outcome.effects.isEmpty || !outcome.state.isEmpty else {
            return outcome
        }
        var again = TrialComparison(repeating: first)
        again.window = outcome.state.isEmpty ? nil : first.agreement.window(in: part)
        // After the first differences and what led to the states that differ, there is nothing more to find out.
        let cut = first.cut ?? TrialComparison.Cut(sequence: part.upperBound, states: states)
        let end = min(part.upperBound, max(cut.sequence, again.window?.upperBound ?? 0))
        again.cut = cut
        let second = try pass(
            part.lowerBound...end, history, &outcome, &again, isFirst: false,
            onProgress: { onProgress(total + $0, total + end - part.lowerBound + 1) })
        outcome.firstStateDifference = again.agreement.different
        outcome.add(again.unsteady)
        let found = again.found ?? second
        outcome.addUnsteadyState(
            before: (cut.states.before, found.before), now: (cut.states.now, found.now), of: candidate)
        outcome.excuseUnsteadyReference(of: candidate)
        return outcome
    }

    /// Whether the candidate is compared with the record, and not with another plan.
    private var isAgainstRecord: Bool { if case .recorded = reference { true } else { false } }

    // MARK: - One pass

    /// Lets both sides go over a part of the past, and compares them; returns their last states.
    ///
    /// - Parameters:
    ///   - outcome: takes numbers, costs and damage, if it is the first pass.
    ///   - comparison: compares the consequences.
    private func pass(
        _ part: ClosedRange<UInt64>, _ history: History, _ outcome: inout TrialOutcome,
        _ comparison: inout TrialComparison, isFirst: Bool, onProgress: (UInt64) -> Void
    ) throws(PastFailure) -> (before: Value, now: Value) {
        let first = part.lowerBound
        let past = PastSteps(
            HistoryCursor(history.reader, from: first, to: part.upperBound, skipsOrphans: false),
            keepsConsequences: isAgainstRecord)
        let start = try begin(behind: first - 1)
        let now = try TriedHost(
            candidate, at: start.place, images: images, recorder: recorder, lane: isParallel ? 1 : nil,
            leavingBy: route(candidate))
        let before = start.reference
        let stride = max(Self.shortest, (part.upperBound - first + 1) / Self.comparisons)
        let rows = TrialRows(
            before, now, isParallel: isParallel && !isAgainstRecord, isMeasured: isFirst && !isAgainstRecord)
        defer { rows.end() }
        // The last action of the rows that have begun, of those that are compared, and of the last of them whose states are.
        var (begun, last, agreed) = (first - 1, first - 1, first - 1)
        // In a long part the instructions of the newest actions are counted on the way.
        let isLong = part.upperBound - first >= 16 * Self.counted
        let countsFrom =
            isFirst && countsInstructions && !isAgainstRecord && isLong
            ? part.upperBound - Self.counted : nil
        var counter: TrialCounter?
        repeat {
            while !rows.isFull {
                // Among the actions of the window the states are compared after each.
                let isExact =
                    comparison.window?.contains(begun) == true && comparison.agreement.different == nil
                let most =
                    isAgainstRecord ? Int(Self.shortest) : begun < first ? TrialMeter.warmUp : Self.batch
                let steps = try read(
                    past, &begun, upTo: isExact ? 1 : most, stoppingAt: comparison.end ?? countsFrom)
                guard let end = steps.last else { break }
                let isDue =
                    end.isClosed && comparison.agreement.different == nil
                    && (isExact || isFirst && begun - agreed >= stride)
                if isDue { agreed = begun }
                rows.begin(
                    steps, upTo: begun, comparesStates: isDue,
                    keepsStates: end.isClosed && comparison.isCut(behind: begun), counting: &counter)
                if counter == nil, let countsFrom, begun >= countsFrom, !rows.meter.suspiciousTypes.isEmpty {
                    counter = TrialCounter(of: rows.meter.suspiciousTypes, onCount)
                }
            }
        } while try rows.take { row throws(PastFailure) in
            last = row.last
            for (place, step) in row.steps.enumerated() {
                comparison.compare(place, step, row.before.log, row.now.log)
            }
            if isFirst { outcome.add(row.steps, from: row.before.log, row.now.log) }
            onProgress(last - first + 1)
            guard let states = try row.states() else { return }
            if comparison.isCut(behind: last) { comparison.note(states, behind: last) }
            guard row.comparesStates, let end = row.steps.last, comparison.agreement.different == nil else {
                return
            }
            comparison.agreement.note(
                areSame: states.before == states.now, at: end.root.sequence, upTo: last)
        }
        let states = (before: try before.state(after: last), now: try now.state(after: last))
        guard isFirst else { return states }
        outcome.costs = rows.meter.costs
        outcome.costs.instructions = counter?.counted ?? [:]
        outcome.suspiciousTypes = rows.meter.suspiciousTypes
        outcome.stubbedEffects = now.host.queue.activity.stubbed
        outcome.reports = TrialReports(before: (before as? TriedHost)?.reports, now: now.reports)
        outcome.damage += start.diagnostics + past.damage
        if last >= first { outcome.range = first...last }
        return states
    }

    /// Reads the next steps.
    ///
    /// - Parameters:
    ///   - last: the last action of all steps so far.
    ///   - sequence: the action after which they end when nothing is in progress there; nil for none.
    private func read(
        _ past: PastSteps, _ last: inout UInt64, upTo count: Int, stoppingAt sequence: UInt64?
    ) throws(PastFailure) -> [PastStep] {
        var steps: [PastStep] = []
        let stop = sequence.flatMap { last < $0 ? $0 : nil } ?? .max
        while steps.count < count, let step = try PastFailure.reading(try past.next()) {
            steps.append(step)
            last = max(last, step.last)
            if last >= stop, step.isClosed { break }
        }
        return steps
    }

    /// Returns where both sides begin, and the one that the candidate is compared with.
    private func begin(
        behind sequence: UInt64
    ) throws(PastFailure) -> (place: PastWalk.Place, reference: any TrialSide, diagnostics: [String]) {
        let present: HostPlan
        switch reference {
        case .recorded(let plan), .plan(let plan): present = plan
        }
        let ground = try TrialGround(behind: sequence, journal: journal, plan: present, images: images)
        self.ground = ground
        let side: any TrialSide =
            switch reference {
            case .recorded: RecordedSide(ground.walk, at: ground.place, by: ground.reducers)
            case .plan(let plan):
                try TriedHost(
                    plan, at: ground.place, images: images, recorder: recorder, leavingBy: route(plan))
            }
        return (ground.place, side, ground.walk.diagnostics.map(\.description))
    }

    // MARK: - Afterwards

    /// Counts the instructions of the types that seem to be slow, over the newest actions of the part, on new hosts: the types were not
    /// known while the others heard these actions, as in a short part.
    private func countInstructions(
        _ part: ClosedRange<UInt64>, _ history: History, _ outcome: inout TrialOutcome
    ) throws(PastFailure) {
        let first = part.upperBound - min(part.upperBound - part.lowerBound, Self.counted)
        let past = PastSteps(
            HistoryCursor(history.reader, from: first, to: part.upperBound, skipsOrphans: false),
            keepsConsequences: false)
        let start = try begin(behind: first - 1)
        // With counts of its own, so that both sides time the same actions.
        let now = try TriedHost(
            candidate, at: start.place, images: images, recorder: recorder, lane: isParallel ? 1 : nil,
            leavingBy: route(candidate))
        var counter = TrialCounter(of: outcome.suspiciousTypes, onCount)
        let sides = (TrialWorker(start.reference), TrialWorker(now))
        while let step = try PastFailure.reading(try past.next()) {
            counter.dispatch(step, sides.0, sides.1)
        }
        outcome.costs.instructions = counter.counted
    }

    /// The number of the newest actions among which instructions are counted.
    private static let counted: UInt64 = 1_024

    /// Returns what led to the first difference, itself last; empty where none is known.
    private func causes(of outcome: TrialOutcome, in history: History) throws(JournalFailure)
        -> [JournalRecord]
    {
        guard let first = outcome.firstDifference, let entry = try history.entry(first) else { return [] }
        var chain = [entry]
        while let next = chain.last, let cause = next.cause.sequence, cause < next.sequence,
            chain.count < 100, let record = try history.entry(cause)
        {
            chain.append(record)
        }
        return chain.reversed()
    }

    /// The candidate's instances that the reference has not, or has with another library or other settings; none where that is the record.
    private var changed: [PlannedInstance] {
        guard case .plan(let plan) = reference else { return [] }
        let known = Dictionary(plan.instances.map { ($0.id, $0) }) { first, _ in first }
        return candidate.instances.filter { instance in
            known[instance.id].map {
                $0.digest != instance.digest || $0.entry.settings != instance.entry.settings
            } ?? true
        }
    }
}
