// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseHostTesting
import Synchronization

/// A client that asks for `/health` on one new connection after the other, on a thread of its own.
final class AskingClient: Sendable {
    /// What came of its questions.
    struct Count {
        /// Questions that were answered with 200.
        var answered = 0
        /// Connections that were refused.
        var refused = 0
        /// Connections that ended before their answer had come.
        var cutOff = 0
        /// Answers with another status.
        var others: [Int] = []

        static func + (one: Count, other: Count) -> Count {
            Count(
                answered: one.answered + other.answered, refused: one.refused + other.refused,
                cutOff: one.cutOff + other.cutOff, others: one.others + other.others)
        }
    }

    /// The port that it asks.
    private let port: Int
    /// What came of it so far, and whether it goes on.
    private let state = Mutex((count: Count(), goesOn: true))
    /// Signalled after each answer.
    private let answered = DispatchSemaphore(value: 0)
    /// Entered as long as it asks.
    private let asking = DispatchGroup()

    /// A client that asks from here on.
    init(port: Int) {
        self.port = port
        DispatchQueue(label: "asking").async(group: asking) { [self] in
            while state.withLock(\.goesOn) { ask() }
        }
    }

    /// Waits until a question is answered that was asked after this call.
    func waitForAnswer() throws {
        while answered.wait(timeout: .now()) == .success {}
        // The first may have been on its way already.
        for _ in 0..<2 where answered.wait(timeout: .now() + 60) == .timedOut {
            throw SystemFailure("nobody answers at port \(port)")
        }
    }

    /// Asks no more; gives what came of it.
    func finish() -> Count {
        state.withLock { $0.goesOn = false }
        asking.wait()
        return state.withLock(\.count)
    }

    /// Asks once.
    private func ask() {
        guard let connection = try? LocalConnection(port: port) else {
            return state.withLock { $0.count.refused += 1 }
        }
        let client = HTTPConnection(connection)
        client.send("GET", "/health", ["Connection": "close"])
        guard let status = try? client.receive().status else {
            return state.withLock { $0.count.cutOff += 1 }
        }
        state.withLock { state in
            if status == 200 { state.count.answered += 1 } else { state.count.others.append(status) }
        }
        answered.signal()
    }
}
