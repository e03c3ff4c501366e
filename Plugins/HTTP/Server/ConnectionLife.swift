// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// The phase of a connection and its duration; hangs up on headers and bodies that come drop by drop.
///
/// The library measures from the last byte. This measures from the beginning, in rounds of the server's clock.
final class ConnectionLife: Sendable {
    /// The phase of a connection.
    enum Phase {
        /// Waiting for a header, or receiving it.
        case idle
        /// Receiving a body.
        case receiving
        /// Being answered, for any time.
        case answering
        /// Receiving a stream, which need not end.
        case streaming
    }

    /// The most rounds for a header, and for a body.
    static let mostRounds = 12

    /// The order in which connections go when there are too many.
    ///
    /// First those that wait for a request, then those that send a body, then those whose answer has taken long; of each kind
    /// the oldest.
    typealias Age = (rank: Int, since: ContinuousClock.Instant)

    /// The time for a new client to begin a request before a server that ends hangs up.
    static let welcome = Duration.seconds(1)

    /// The longest answer that protects its connection.
    private static let patience = Duration.seconds(10)

    /// The connection; open until the library has closed it.
    private let descriptor: Int32
    /// The facts about a connection.
    private struct State {
        /// The current phase.
        var phase = Phase.idle
        /// The start of the phase.
        var since = ContinuousClock.now
        /// The number of rounds in the phase.
        var rounds = 0
        /// Whether its client had already hung up in the previous round.
        var isForsaken = false
        /// Whether nothing of a request has come so far.
        var isNew = true
        /// Whether the library has not closed it.
        var isOpen = true
    }

    /// The facts, guarded by the lock.
    private let state = Mutex(State())

    /// Starts the life of a new connection.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Starts a phase.
    ///
    /// - Parameter now: the time.
    func enter(_ phase: Phase, at now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            (state.phase, state.since, state.rounds) = (phase, now, 0)
            (state.isForsaken, state.isNew) = (false, false)
        }
    }

    /// Returns whether a request has begun to come, or may be on its way because the connection is new.
    func mayAsk(_ now: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            state.phase == .receiving || state.isNew && state.since.duration(to: now) < Self.welcome
        }
    }

    /// Returns its place in the order of leaving; nil if it stays.
    ///
    /// - Parameter now: the time.
    func age(_ now: ContinuousClock.Instant) -> Age? {
        state.withLock { state in
            switch state.phase {
            case .idle: (rank: 0, since: state.since)
            case .receiving: (rank: 1, since: state.since)
            case .answering:
                state.since.duration(to: now) > Self.patience ? (rank: 2, since: state.since) : nil
            case .streaming: nil
            }
        }
    }

    /// Records that the library closes it.
    func end() { state.withLock { $0.isOpen = false } }

    /// Hangs up; the reading thread finds its end.
    func hangUp() {
        state.withLock { state in
            if state.isOpen { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// Whether its client sends nothing any more.
    private var isAtEnd: Bool {
        // The value of POLLRDHUP, which the C library shows only on request.
        let end: Int16 = 0x2000
        var watched = pollfd(fd: descriptor, events: end, revents: 0)
        return unsafe poll(&watched, 1, 0) == 1 && watched.revents & end != 0
    }

    /// Counts a round; hangs up and returns the phase if that takes too long, or if the client stopped sending before this
    /// round and left a request unfinished.
    func tick() -> Phase? {
        let late = state.withLock { state -> Phase? in
            guard state.phase == .idle || state.phase == .receiving else { return nil }
            state.rounds += 1
            // The library may be about to read the rest of a request: so one look is not enough.
            let wasForsaken = state.isForsaken
            state.isForsaken = state.isOpen && isAtEnd
            guard state.rounds > Self.mostRounds || wasForsaken && state.isForsaken else { return nil }
            state.rounds = 0
            return state.phase
        }
        if late != nil { hangUp() }
        return late
    }
}
