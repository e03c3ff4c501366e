// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseRuntime
internal import GatehouseSDK

/// The recorded side of a replay: the state that the recorded actions lead to, whichever plan reduces them.
struct ReplayReference {
    /// The walk over the journal.
    private let walk: PastWalk
    /// Reduces everything in place of the recorded generations; nil where those do.
    private let stage: InProcessStage?
    /// The reducers of each part otherwise.
    private let stages: PastWalk.Stages
    /// The current place.
    private(set) var place: PastWalk.Place

    /// Creates the side of the recorded generations.
    init(_ walk: PastWalk, at place: PastWalk.Place, by stages: PastWalk.Stages) {
        self.walk = walk
        self.place = place
        self.stages = stages
        stage = nil
    }

    /// Creates the side of another plan.
    init(_ walk: PastWalk, at place: PastWalk.Place, reducedBy stage: InProcessStage) {
        self.walk = walk
        self.place = place
        self.stage = stage
        stages = PastWalk.Stages(recorded: stage, present: stage)
    }

    /// Advances to an action.
    mutating func advance(to sequence: UInt64) throws(PastFailure) {
        guard sequence > place.sequence else { return }
        guard let stage else {
            return try walk.advance(&place, to: sequence, enteringNext: false, by: stages)
        }
        let record =
            place.record
            ?? GenerationRecord(
                epoch: 0, number: 0, after: place.sequence, time: 0, plan: .nothing,
                change: GenerationChange())
        place.state = try stage.reduce(
            PastJob(
                journal: walk.folder, record: record, state: place.state, after: place.sequence,
                last: sequence, acceptsLoss: false)
        ).state
        place.sequence = sequence
    }
}
