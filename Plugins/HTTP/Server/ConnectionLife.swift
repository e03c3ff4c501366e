// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// How long a connection has been where it is; who sends a header or a body drop by drop is let go of.
///
/// Its library measures from the last byte that came. This measures from the beginning, in rounds of the server's clock.
final class ConnectionLife: Sendable {
    /// Where a connection is.
    enum Phase {
        /// A header is waited for, or comes.
        case idle
        /// A body comes.
        case receiving
        /// It is answered, which may take as long as it takes.
        case answering
        /// It is given a stream, which need not end.
        case streaming
    }

    /// A header, and a body, may take so many rounds.
    static let mostRounds = 12

    /// In which order connections go when there are too many: those that wait for a request, those that send a body, and those whose
    /// answer has taken long; of each kind the one that has been there for longest.
    struct Age: Comparable {
        /// The kind.
        fileprivate let rank: Int
        /// Since when.
        fileprivate let since: ContinuousClock.Instant

        static func < (one: Age, other: Age) -> Bool { (one.rank, one.since) < (other.rank, other.since) }
    }

    /// Who has just come may take so long to begin with a request before a server that ends hangs up.
    static let welcome = Duration.seconds(1)

    /// An answer that takes no longer keeps its connection.
    private static let patience = Duration.seconds(10)

    /// The connection; open until the library has closed it.
    private let descriptor: Int32
    /// What is known of a connection.
    private struct State {
        /// Where it is.
        var phase = Phase.idle
        /// Since when.
        var since = ContinuousClock.now
        /// For how many rounds.
        var rounds = 0
        /// Whether its client had hung up already in the round before.
        var isForsaken = false
        /// Whether nothing of a request has come so far.
        var isNew = true
        /// Whether the library has not closed it.
        var isOpen = true
    }

    /// What is known of it, guarded by the lock.
    private let state = Mutex(State())

    /// A connection that was made just now.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Takes note of where it is.
    ///
    /// - Parameter now: the time.
    func enter(_ phase: Phase, at now: ContinuousClock.Instant = .now) {
        state.withLock { state in
            (state.phase, state.since, state.rounds) = (phase, now, 0)
            (state.isForsaken, state.isNew) = (false, false)
        }
    }

    /// Whether a request has begun to come, or may be on its way because the connection was made just now.
    func mayAsk(_ now: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            state.phase == .receiving || state.isNew && state.since.duration(to: now) < Self.welcome
        }
    }

    /// When it goes; nil where it stays.
    ///
    /// - Parameter now: the time.
    func age(_ now: ContinuousClock.Instant) -> Age? {
        state.withLock { state in
            switch state.phase {
            case .idle: Age(rank: 0, since: state.since)
            case .receiving: Age(rank: 1, since: state.since)
            case .answering:
                state.since.duration(to: now) > Self.patience ? Age(rank: 2, since: state.since) : nil
            case .streaming: nil
            }
        }
    }

    /// Takes note that the library closes it.
    func end() { state.withLock { $0.isOpen = false } }

    /// Hangs up; the thread that reads from it finds its end.
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

    /// Counts a round; hangs up where the connection takes too long, or its client was in the round before already done with sending
    /// and has left a request unfinished. Says where it was then.
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
