// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// How many bytes of bodies may wait in memory, of all requests together.
final class BodyBudget: Sendable {
    /// The most there may be.
    let most: Int
    /// What is taken.
    private let taken = Mutex(0)

    /// A budget of which nothing is taken.
    init(_ most: Int) { self.most = most }

    /// Takes a part; false, and nothing is taken, where there is not so much left.
    func take(_ count: Int) -> Bool {
        taken.withLock { taken in
            guard count <= most - taken else { return false }
            taken += count
            return true
        }
    }

    /// Gives a part back.
    func giveBack(_ count: Int) { taken.withLock { $0 -= count } }
}
