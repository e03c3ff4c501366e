// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseLibrary
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK

/// The recorded side of a replay: the state that the recorded actions lead to, whichever plan reduces them.
struct ReplayReference {
    /// The walk over the journal.
    private let walk: PastWalk
    /// Reduces everything in place of the recorded generations; nil where those do.
    private let worker: InProcessWorker?
    /// The reducers of each part otherwise.
    private let workers: PastWalk.Workers
    /// The current place.
    private(set) var place: PastWalk.Place

    /// Creates the side of the recorded generations.
    init(_ walk: PastWalk, at place: PastWalk.Place, by workers: PastWalk.Workers) {
        self.walk = walk
        self.place = place
        self.workers = workers
        worker = nil
    }

    /// Creates the side of another plan.
    init(_ walk: PastWalk, at place: PastWalk.Place, reducedBy worker: InProcessWorker) {
        self.walk = walk
        self.place = place
        self.worker = worker
        workers = PastWalk.Workers(recorded: worker, present: worker)
    }

    /// Advances to an action.
    mutating func advance(to sequence: UInt64) throws(PastFailure) {
        guard sequence > place.sequence else { return }
        guard let worker else {
            return try walk.advance(&place, to: sequence, enteringNext: false, by: workers)
        }
        let record =
            place.record
            ?? GenerationRecord(
                epoch: 0, number: 0, after: place.sequence, time: 0, plan: .nothing,
                change: GenerationChange())
        place.state = try worker.reduce(
            PastReduction(
                journal: walk.folder, record: record, state: place.state, after: place.sequence,
                last: sequence, acceptsLoss: false)
        ).state
        place.sequence = sequence
    }
}
