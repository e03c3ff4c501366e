// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehousePlan
internal import GatehouseRuntime

/// The recorded side of a replay: the state that the recorded actions lead to, whichever plan reduces them.
struct ReplayReference {
    /// The walk over the journal.
    let walk: PastWalk
    /// The reducers of each part.
    let reducers: PastWalk.Reducers
    /// Reduces everything in place of the recorded generations; nil where those do.
    let substitute: InProcessReducer?
    /// The current place.
    var place: PastWalk.Place

    /// Advances to an action.
    mutating func advance(to sequence: UInt64) throws(PastFailure) {
        guard sequence > place.sequence else { return }
        guard let substitute else {
            return try walk.advance(&place, to: sequence, enteringNext: false, by: reducers)
        }
        let record =
            place.record
            ?? GenerationRecord(
                epoch: 0, number: 0, after: place.sequence, time: 0, plan: .nothing,
                change: GenerationChange())
        place.state = try substitute.reduce(
            PastReduction(
                journal: walk.folder, record: record, state: place.state, after: place.sequence,
                last: sequence, acceptsLoss: false)
        ).state
        place.sequence = sequence
    }
}
