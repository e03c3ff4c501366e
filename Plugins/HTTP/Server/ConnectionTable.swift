// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The connections of a server: how many there may be, and which one goes for another that comes.
///
/// The bound is kept here and not by libmicrohttpd, whose threads do nothing any more once they have reached theirs.
final class ConnectionTable: Sendable {
    /// What is guarded by the lock.
    private struct State {
        /// Connections that are open.
        var lives: [ObjectIdentifier: ConnectionLife] = [:]
        /// Those among them that were hung up on, and have not ended.
        var ending: Set<ObjectIdentifier> = []
        /// How many were let in that the library has not told of yet.
        var expected = 0
        /// Whether somebody was let in since the last round.
        var isBusy = false
    }

    /// The most connections at once.
    private let most: Int
    /// What is known of connections.
    private let state = Mutex(State())

    /// A table without connections.
    init(most: Int) { self.most = most }

    /// How many of them may be given streams, so that others are still answered.
    static func streams(of most: Int) -> Int { max(most * 3 / 4, 1) }

    /// The most connections that the library may have at once, with those that were hung up on.
    static func room(for most: Int) -> Int { 2 * most + 64 }

    /// How many connections are open.
    var count: Int { state.withLock { $0.lives.count } }

    /// Makes room for one more; false when there is none.
    ///
    /// Where all places are taken, the connection is hung up on that has waited for a request for longest, or has taken longest over a
    /// body or an answer; those that are answered and streams stay. Linear in the number of connections then.
    func admit() -> Bool {
        let (isAdmitted, victim) = state.withLock { state -> (Bool, ConnectionLife?) in
            state.isBusy = true
            var victim: ConnectionLife?
            if state.lives.count - state.ending.count + state.expected >= most {
                // Whoever connects faster than others can be let go of waits.
                guard state.ending.count < most, let found = Self.victim(in: state) else { return (false, nil) }
                state.ending.insert(ObjectIdentifier(found))
                victim = found
            }
            state.expected += 1
            return (true, victim)
        }
        victim?.hangUp()
        return isAdmitted
    }

    /// Who goes first; nil when all stay.
    private static func victim(in state: State) -> ConnectionLife? {
        var victim: (life: ConnectionLife, age: ConnectionLife.Age)?
        let now = ContinuousClock.now
        for (identifier, life) in state.lives where !state.ending.contains(identifier) {
            guard let age = life.age(now), victim.map({ age < $0.age }) ?? true else { continue }
            victim = (life, age)
        }
        return victim?.life
    }

    /// The library has refused one for which there was room.
    func withdraw() { state.withLock { $0.expected = max($0.expected - 1, 0) } }

    /// The library tells of a connection.
    func begin(_ life: ConnectionLife) {
        state.withLock { state in
            state.lives[ObjectIdentifier(life)] = life
            state.expected = max(state.expected - 1, 0)
        }
    }

    /// A connection ends; its descriptor is closed when this has returned.
    func end(_ life: ConnectionLife) {
        state.withLock { state in
            state.lives[ObjectIdentifier(life)] = nil
            state.ending.remove(ObjectIdentifier(life))
        }
    }

    /// Hangs up on connections that take too long over a header or a body; called once in a round.
    ///
    /// - Returns: how many took too long over a body.
    func tick() -> Int {
        let lives = state.withLock { state in
            // The library does not tell of one that it could not take after all.
            if !state.isBusy { state.expected = 0 }
            state.isBusy = false
            return Array(state.lives.values)
        }
        return lives.count { $0.tick() == .receiving }
    }
}
