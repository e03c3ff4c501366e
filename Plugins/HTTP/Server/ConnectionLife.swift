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
    }

    /// A header, and a body, may take so many rounds.
    static let mostRounds = 12

    /// The connection; open as long as the server knows this object.
    private let descriptor: Int32
    /// Where it is, and for how many rounds.
    private let state = Mutex((phase: Phase.idle, rounds: 0))

    /// A connection that was made just now.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Takes note of where it is.
    func enter(_ phase: Phase) { state.withLock { $0 = (phase, 0) } }

    /// Counts a round; hangs up where the connection takes too long, and says where it was then.
    func tick() -> Phase? {
        let late = state.withLock { state -> Phase? in
            guard state.phase != .answering else { return nil }
            state.rounds += 1
            guard state.rounds > Self.mostRounds else { return nil }
            state.rounds = 0
            return state.phase
        }
        // The thread that reads from it finds its end.
        if late != nil { shutdown(descriptor, Int32(SHUT_RDWR)) }
        return late
    }
}
