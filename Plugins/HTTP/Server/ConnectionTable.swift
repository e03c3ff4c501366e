// SPDX-License-Identifier: Apache-2.0

import Dispatch
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
        /// Whether somebody waits to be let in.
        var isAwaited = false
        /// Whether nobody comes any more who would have to wait for room.
        var isClosed = false
    }

    /// What there is for one more.
    private enum Room {
        /// A place, which this one leaves where there was none.
        case place(ConnectionLife?)
        /// There will be one when the library has told of a connection, or of its end.
        case soon
        /// All that are open stay.
        case none
    }

    /// Somebody waits so long for the library.
    private static let patience = DispatchTimeInterval.seconds(10)

    /// The most connections at once.
    private let most: Int
    /// What is known of connections.
    private let state = Mutex(State())
    /// Signalled when somebody waits and a connection has begun or ended.
    private let changed = DispatchSemaphore(value: 0)

    /// A table without connections.
    init(most: Int) { self.most = most }

    /// How many of them may be given streams, so that others are still answered.
    static func streams(of most: Int) -> Int { max(most * 3 / 4, 1) }

    /// The most connections that the library may have at once, with those that were hung up on.
    static func room(for most: Int) -> Int { 2 * most + 64 }

    /// How many connections are open.
    var count: Int { state.withLock { $0.lives.count } }

    /// How many are asking for something, or have just come and may be about to.
    var askers: Int {
        state.withLock { state in
            let now = ContinuousClock.now
            return state.expected
                + state.lives.count { !state.ending.contains($0.key) && $0.value.mayAsk(now) }
        }
    }

    /// Makes room for one more; false when there is none.
    ///
    /// Where all places are taken, the connection is hung up on that has waited for a request for longest, or has taken longest over a
    /// body or an answer; those that are answered and streams stay. Linear in the number of connections then. Waits for the library
    /// where that knows better, so clients who come faster than it can let go of others are held up and not sent away.
    func admit() -> Bool {
        let deadline = DispatchTime.now() + Self.patience
        while true {
            switch state.withLock({ place(in: &$0) }) {
            case .place(let victim):
                victim?.hangUp()
                return true
            case .soon: if changed.wait(timeout: deadline) == .timedOut { return false }
            case .none: return false
            }
        }
    }

    /// Takes a place where there is one.
    private func place(in state: inout State) -> Room {
        state.isBusy = true
        var victim: ConnectionLife?
        if state.lives.count - state.ending.count + state.expected >= most {
            if state.ending.count < most { victim = Self.victim(in: state) }
            guard let victim else {
                state.isAwaited = !state.isClosed && (state.expected > 0 || state.ending.count >= most)
                return state.isAwaited ? .soon : .none
            }
            state.ending.insert(ObjectIdentifier(victim))
        }
        state.expected += 1
        return .place(victim)
    }

    /// Lets nobody wait for room any more.
    func close() { change { $0.isClosed = true } }

    /// Changes what is known, and lets somebody who waits look again.
    private func change(_ body: (inout State) -> Void) {
        let isAwaited = state.withLock { state in
            body(&state)
            defer { state.isAwaited = false }
            return state.isAwaited
        }
        if isAwaited { changed.signal() }
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
        change { state in
            state.lives[ObjectIdentifier(life)] = life
            state.expected = max(state.expected - 1, 0)
        }
    }

    /// A connection ends; its descriptor is closed when this has returned.
    func end(_ life: ConnectionLife) {
        change { state in
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
