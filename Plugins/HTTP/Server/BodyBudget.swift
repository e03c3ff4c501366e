// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The most bytes of bodies in memory: of all requests together, and half as many of those from one network.
final class BodyBudget: Sendable {
    /// The contents of the lock.
    private struct State {
        /// The bytes taken altogether.
        var taken = 0
        /// The bytes taken by each network; none is kept with 0.
        var byPlace: [String: Int] = [:]
    }

    /// The most bytes.
    let most: Int
    /// The bytes taken.
    private let state = Mutex(State())

    /// Creates a budget with nothing taken.
    init(_ most: Int) { self.most = most }

    /// Takes bytes for a client of a network; false, and nothing is taken, if not enough are left.
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

    /// Gives bytes back.
    func giveBack(_ count: Int, for place: String) {
        state.withLock { state in
            state.taken -= count
            let left = (state.byPlace[place] ?? 0) - count
            state.byPlace[place] = left > 0 ? left : nil
        }
    }
}
