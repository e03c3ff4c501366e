// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
package import GatehousePlan
package import GatehouseSupport

/// A walk over the past: from a snapshot on, each action is reduced by the generation that reduced it originally.
///
/// Read-only, even while a host writes the journal. Used from one thread.
package final class PastWalk {
    /// A place that the walk has reached.
    package struct Place {
        /// The state.
        package var state: SavedState
        /// The last action included in it.
        package var sequence: UInt64
        /// The generation of the state; nil where the present plan has reduced actions without a recorded generation.
        package var record: GenerationRecord?
        /// The number of actions reduced.
        package var count = 0
        /// The instances whose reducers failed.
        package var fallen: [FallenInstance] = []
    }

    /// The reducers of each part.
    package struct Reducers {
        /// Runs the recorded generations.
        package let recorded: any PastReducer
        /// Runs the present plan where none is recorded; nil without such a plan.
        package let present: (any PastReducer)?
        /// Whether the present plan also replaces generations that cannot run here.
        package var reducesWithPresent = false

        /// The reducers for recorded generations, and for the present one.
        package init(recorded: any PastReducer, present: (any PastReducer)?, reducesWithPresent: Bool = false)
        {
            self.recorded = recorded
            self.present = present
            self.reducesWithPresent = reducesWithPresent
        }

        /// Children of this process, which run the recorded generations, and a present plan where none is recorded.
        ///
        /// - Parameters:
        ///   - plan: the present plan, whose images are kept; nil for none.
        ///   - isStrict: whether to refuse files that their group may write to.
        ///   - patience: how long a child may go without progress.
        ///   - reducesWithPresent: whether the present plan replaces generations that cannot run here.
        package static func children(
            present plan: HostPlan?, isStrict: Bool, patience: Duration, reducesWithPresent: Bool = false
        ) -> Reducers {
            Reducers(
                recorded: ChildReducer(isStrict: isStrict, patience: patience),
                present: plan.flatMap(RecordedPlan.init).map {
                    ChildReducer(isStrict: isStrict, patience: patience, plan: $0)
                },
                reducesWithPresent: reducesWithPresent)
        }
    }

    /// The folder of the journal.
    package let folder: String
    /// Reads the journal.
    package let reader: JournalReader
    /// The generations in order.
    package let records: [GenerationRecord]
    /// Good snapshots, newest first.
    private let snapshots: [StoredSnapshot]
    /// Whether to skip damaged parts.
    private let acceptsLoss: Bool
    /// Diagnostics for the operator.
    package private(set) var diagnostics: [Diagnostic] = []

    /// Opens the journal in a folder.
    ///
    /// - Parameter acceptsLoss: whether to skip damaged actions, with a report; otherwise they are an error.
    /// - Throws: why it cannot be read.
    package init(folder: String, acceptsLoss: Bool) throws(JournalFailure) {
        self.folder = folder
        self.acceptsLoss = acceptsLoss
        // Read before the journal, which a host may be writing: a promise is never ahead of it.
        let promised = try JournalPromise.read(folder: folder)
        reader = try JournalReader(folder: folder)
        if !acceptsLoss { try reader.compare(with: promised) }
        let found = try reader.snapshots()
        snapshots = found.good
        let generations = try reader.generations()
        records = generations.records
        diagnostics = found.damaged.map { damage in
            let way =
                switch found.good.first?.sequence {
                case nil: "the whole journal is replayed"
                case let good? where good > damage.sequence: "a newer snapshot is used"
                default: "an older snapshot is used"
                }
            return Diagnostic(.warning, "\(reader.path): \(damage); \(way)")
        }
        var damaged = generations.damaged
        if damaged.isEmpty, let newest = found.good.first, newest.record != 0,
            !records.contains(where: { $0.id == newest.record })
        {
            damaged.append(GenerationDamage(id: newest.record, reason: "it is not there"))
        }
        guard let damage = damaged.first else { return }
        guard acceptsLoss else { throw JournalFailure(reader.path, .reading, .generation(damage)) }
        diagnostics += damaged.map {
            Diagnostic(.warning, "\(reader.path): \($0); the previous generation reduces its actions instead")
        }
    }

    /// Whether there are actions without a recorded generation: an earlier version wrote them.
    package func hasUnrecorded() throws(PastFailure) -> Bool {
        guard let first = records.first else { return true }
        return try read { () throws(JournalFailure) in try reader.bounds()?.lowerBound ?? .max }
            <= first.after
    }

    /// Returns the last action; 0 where there is none.
    package func last() throws(PastFailure) -> UInt64 {
        try read { () throws(JournalFailure) in try reader.position().sequence - 1 }
    }

    /// Walks to an action.
    ///
    /// - Parameters:
    ///   - sequence: the last action included in the state.
    ///   - entersNext: whether to hand the state to the generation of the next action, if that is another one.
    /// - Throws: why it cannot be reached.
    package func place(
        behind sequence: UInt64, enteringNext entersNext: Bool, by reducers: Reducers
    ) throws(PastFailure) -> Place {
        var place = try start(before: sequence)
        try advance(&place, to: sequence, enteringNext: entersNext, by: reducers)
        return place
    }

    /// Continues from a place to a later action, like `place(behind:enteringNext:by:)`.
    package func advance(
        _ place: inout Place, to sequence: UInt64, enteringNext entersNext: Bool, by reducers: Reducers
    ) throws(PastFailure) {
        while true {
            let next = self.next(after: place)
            let end = min(next?.after ?? sequence, sequence)
            if place.sequence < end { try reduce(to: end, &place, by: reducers) }
            guard let next, next.after < sequence || next.after == sequence && entersNext else { return }
            place.state = place.state.entering(next)
            place.record = next
        }
    }

    // MARK: - Implementation details

    /// Returns the start of the walk: the newest snapshot not after an action, or the very beginning.
    private func start(before sequence: UInt64) throws(PastFailure) -> Place {
        if let snapshot = snapshots.first(where: { $0.sequence <= sequence }) {
            return Place(
                state: snapshot.content, sequence: snapshot.sequence,
                record: records.first { $0.id == snapshot.record })
        }
        let first = try read { () throws(JournalFailure) in try reader.bounds()?.lowerBound ?? 1 }
        guard first > 1 else { return Place(state: .empty, sequence: 0) }
        let earliest = snapshots.last.map {
            "; the earliest that the journal keeps is that after action \($0.sequence)"
        }
        throw .forgotten(
            "the state after action \(sequence) can no longer be rebuilt, because the journal no longer has what led to it\(earliest ?? "")"
        )
    }

    /// Returns the generation after the current one; nil after the last.
    private func next(after place: Place) -> GenerationRecord? {
        guard let record = place.record else { return records.first { $0.after >= place.sequence } }
        return records.first { $0.id > record.id }
    }

    /// Lets the current generation reduce the actions up to one.
    private func reduce(to end: UInt64, _ place: inout Place, by reducers: Reducers) throws(PastFailure) {
        let present = GenerationRecord(
            epoch: 0, number: 0, after: place.sequence, time: 0, plan: .nothing, change: GenerationChange())
        let reduction = PastReduction(
            journal: folder, record: place.record ?? present, state: place.state, after: place.sequence,
            last: end, acceptsLoss: acceptsLoss)
        let result: PastResult
        do throws(PastFailure) {
            if place.record == nil {
                result = try reduceUnrecorded(reduction, by: reducers)
            } else {
                result = try reducers.recorded.reduce(reduction)
            }
        } catch .unrunnable(let generation) {
            guard reducers.reducesWithPresent, let reducer = reducers.present else {
                throw .unrunnable(generation)
            }
            result = try reducer.reduce(reduction)
            diagnostics.append(
                Diagnostic(
                    .warning,
                    "\(reader.path): the current configuration has reduced the \(Counted.text(generation.actions, "action")) after action \(generation.after), because generation \(generation.number) of run \(generation.epoch) cannot run here; the state may differ from the original one"
                ))
            diagnostics += generation.lines.map { Diagnostic(.warning, $0) }
        }
        place.state = result.state
        place.sequence = end
        place.count += result.count
        place.fallen += result.fallen
        diagnostics += result.diagnostics
    }

    /// Lets the present plan reduce actions without a recorded generation.
    private func reduceUnrecorded(_ reduction: PastReduction, by reducers: Reducers) throws(PastFailure)
        -> PastResult
    {
        guard let reducer = reducers.present else {
            throw .forgotten(
                "the journal does not say which generation reduced the actions after action \(reduction.after); name the configuration that did with --config"
            )
        }
        diagnostics.append(
            Diagnostic(
                .warning,
                "\(reader.path): the journal does not say which generation reduced the actions \(reduction.after + 1) to \(reduction.last), as an earlier version wrote it; the current configuration has reduced them"
            ))
        return try reducer.reduce(reduction)
    }

    /// Reads from the journal.
    private func read<Result>(_ body: () throws(JournalFailure) -> Result) throws(PastFailure) -> Result {
        do { return try body() } catch { throw .journal(error) }
    }
}
