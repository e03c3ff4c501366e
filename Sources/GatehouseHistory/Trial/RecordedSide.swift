// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseRuntime
internal import GatehouseSDK

/// The record as a side of a trial: its consequences are the recorded ones, its state is that to which the recorded actions lead.
final class RecordedSide: TrialSide {
    /// The walk over the journal.
    private let walk: PastWalk
    /// The reducers of each part.
    private let reducers: PastWalk.Reducers
    /// The current place.
    private var place: PastWalk.Place
    /// Takes the consequences.
    private var log = ConsequenceLog()

    /// Begins at a place of a walk.
    init(_ walk: PastWalk, at place: PastWalk.Place, by reducers: PastWalk.Reducers) {
        (self.walk, self.place, self.reducers) = (walk, place, reducers)
    }

    func swapLog(_ log: inout ConsequenceLog) {
        log.removeAll()
        swap(&self.log, &log)
    }

    func dispatch(_ step: PastStep) {
        for entry in step.consequences { log.append(entry) }
        log.finish()
    }

    func dispatch(_ step: PastStep, watching watch: @escaping (Bool) -> Void) { dispatch(step) }

    func state(after sequence: UInt64) throws(PastFailure) -> Value {
        if sequence > place.sequence {
            try walk.advance(&place, to: sequence, enteringNext: false, by: reducers)
        }
        return place.state.whole
    }
}
