// SPDX-License-Identifier: Apache-2.0

internal import GatehouseJournal
internal import GatehouseSDK

/// What has happened since a hand-over that may still be undone; touched in the drain.
final class Probation {
    /// An action that has passed.
    struct Entry {
        /// The action and where it came from.
        let dispatched: DispatchedAction<AnyAction>
        /// Its number.
        let sequence: UInt64
        /// Whether it was merged into the plain state, as it asked.
        var isMerged = false
    }

    /// What has passed, in order; instances that come back reduce it late.
    var actions: [Entry] = []
    /// Effects that nobody has begun again, and what is to be done with them, or besides, once it is decided that the generation stays.
    private var unplaced: [(effects: [JournalEffect], settle: () -> Void)] = []

    /// Takes note that the action in hand was merged into the plain state.
    func noteMerge() {
        if !actions.isEmpty { actions[actions.count - 1].isMerged = true }
    }

    /// Keeps effects of those that were there before, as they stand in the journal, for the case that these come back.
    ///
    /// - Parameter settle: called in the drain once the generation stays; never where it is taken back.
    func keep(_ effects: [JournalEffect] = [], onceSettled settle: @escaping () -> Void) {
        unplaced.append((effects, settle))
    }

    /// Gives the effects to those that come back.
    func takeUnplaced() -> [JournalEffect] {
        defer { unplaced = [] }
        return unplaced.flatMap(\.effects)
    }

    /// Does what was put off, because the generation stays.
    func settle() {
        let all = unplaced
        unplaced = []
        for (_, settle) in all { settle() }
    }
}
