// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// How many bytes of bodies may wait in memory: of all requests together, and half as many of those that come from one place.
final class BodyBudget: Sendable {
    /// What is guarded by the lock.
    private struct State {
        /// What is taken altogether.
        var taken = 0
        /// What is taken by each place; none is kept with nothing.
        var byPlace: [String: Int] = [:]
    }

    /// The most there may be.
    let most: Int
    /// What is taken.
    private let state = Mutex(State())

    /// A budget of which nothing is taken.
    init(_ most: Int) { self.most = most }

    /// Takes a part for a client at a place; false, and nothing is taken, where there is not so much left.
    func take(_ count: Int, for place: String) -> Bool {
        state.withLock { state in
            let own = state.byPlace[place] ?? 0
            guard count <= most - state.taken, count <= most / 2 - own else { return false }
            guard count > 0 else { return true }
            state.taken += count
            state.byPlace[place] = own + count
            return true
        }
    }

    /// Gives a part back.
    func giveBack(_ count: Int, for place: String) {
        state.withLock { state in
            state.taken -= count
            let left = (state.byPlace[place] ?? 0) - count
            state.byPlace[place] = left > 0 ? left : nil
        }
    }
}
