// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// The connections of a server: their limit, and which one gives way to a new one.
///
/// Keeps the limit itself, because libmicrohttpd's threads do nothing any more once they have reached theirs.
final class ConnectionTable: Sendable {
    /// The contents of the lock.
    private struct State {
        /// Open connections.
        var lives: [ObjectIdentifier: ConnectionLife] = [:]
        /// The open connections that were hung up on.
        var ending: Set<ObjectIdentifier> = []
        /// The number of accepted connections that the library has not reported yet.
        var expected = 0
        /// Whether any client was accepted since the last round.
        var isBusy = false
        /// Whether a client waits for admission.
        var isAwaited = false
        /// Whether new clients no longer wait for room.
        var isClosed = false
    }

    /// The room for one more.
    private enum Room {
        /// A place; the connection, if any, must leave it first.
        case place(ConnectionLife?)
        /// A place after the library's next report of a connection or its end.
        case soon
        /// No place: all open connections stay.
        case none
    }

    /// The longest wait for the library.
    private static let patience = DispatchTimeInterval.seconds(10)

    /// The most connections at once.
    private let most: Int
    /// The facts about connections.
    private let state = Mutex(State())
    /// Signalled when a client waits and a connection has begun or ended.
    private let changed = DispatchSemaphore(value: 0)

    /// Creates a table without connections.
    init(most: Int) { self.most = most }

    /// The most streams, so that others are still answered.
    static func streams(of most: Int) -> Int { max(most * 3 / 4, 1) }

    /// The most connections of the library at once, including those that were hung up on.
    static func room(for most: Int) -> Int { 2 * most + 64 }

    /// The number of open connections.
    var count: Int { state.withLock { $0.lives.count } }

    /// The number of connections that send a request, or are new and may be about to.
    var askers: Int {
        state.withLock { state in
            let now = ContinuousClock.now
            return state.expected
                + state.lives.count { !state.ending.contains($0.key) && $0.value.mayAsk(now) }
        }
    }

    /// Makes room for one more; false when there is none.
    ///
    /// If all places are taken, hangs up on the connection that has waited longest for a request, or has taken longest over a
    /// body or an answer. Those being answered and streams stay. This is linear in the number of connections. Waits for the
    /// library if its next report may free a place, so clients that come faster than it can release others are held up and not
    /// sent away.
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

    /// Takes a place if there is one.
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

    /// Stops all waiting for room.
    func close() { change { $0.isClosed = true } }

    /// Changes the facts, and lets a waiting client look again.
    private func change(_ body: (inout State) -> Void) {
        let isAwaited = state.withLock { state in
            body(&state)
            defer { state.isAwaited = false }
            return state.isAwaited
        }
        if isAwaited { changed.signal() }
    }

    /// Returns the connection to leave first; nil when all stay.
    private static func victim(in state: State) -> ConnectionLife? {
        var victim: (life: ConnectionLife, age: ConnectionLife.Age)?
        let now = ContinuousClock.now
        for (identifier, life) in state.lives where !state.ending.contains(identifier) {
            guard let age = life.age(now), victim.map({ age < $0.age }) ?? true else { continue }
            victim = (life, age)
        }
        return victim?.life
    }

    /// Records that the library has refused an admitted connection.
    func withdraw() { state.withLock { $0.expected = max($0.expected - 1, 0) } }

    /// Records a connection that the library reports.
    func begin(_ life: ConnectionLife) {
        change { state in
            state.lives[ObjectIdentifier(life)] = life
            state.expected = max(state.expected - 1, 0)
        }
    }

    /// Records the end of a connection; its descriptor is closed after this call.
    func end(_ life: ConnectionLife) {
        change { state in
            state.lives[ObjectIdentifier(life)] = nil
            state.ending.remove(ObjectIdentifier(life))
        }
    }

    /// Hangs up on connections that take too long over a header or a body; called once in a round.
    ///
    /// - Returns: the number that took too long over a body.
    func tick() -> Int {
        let lives = state.withLock { state in
            // The library does not report a connection that it could not take after all.
            if !state.isBusy { state.expected = 0 }
            state.isBusy = false
            return Array(state.lives.values)
        }
        return lives.count { $0.tick() == .receiving }
    }
}
