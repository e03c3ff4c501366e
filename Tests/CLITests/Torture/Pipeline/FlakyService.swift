// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseHostTesting
import GatehouseValue
import SeededTesting
import Synchronization

/// A service on the network that answers 30 % of its requests with 500, 10 % never, resets 5 %, and takes the rest; it keeps who asked
/// for what.
final class FlakyService: Sendable {
    /// What is known of the calls for one number.
    struct Calls {
        /// How many came.
        var count = 0
        /// How many were answered with 200.
        var taken = 0
        /// The idempotency keys that they had.
        var keys: Set<String> = []
    }

    /// What the lock guards.
    private struct Content {
        var calls: [Int: Calls] = [:]
        var generator: SeededGenerator
        var oddities: [String] = []
    }

    /// What came.
    private let content: Mutex<Content>
    /// Signalled at each call that is taken.
    private let isTaken = DispatchSemaphore(value: 0)
    /// Who listens.
    private let server = Mutex<ScriptedServer?>(nil)
    /// Where it is.
    let url: String

    /// Listens at a free port.
    init(seed: UInt64) throws {
        content = Mutex(Content(generator: SeededGenerator(seed: seed)))
        let asked = Mutex<(@Sendable (ScriptedServer.Request) -> ScriptedServer.Reply)?>(nil)
        let made = try ScriptedServer { request, _ in
            asked.withLock { $0 }?(request) ?? .status(500)
        }
        url = made.url("/orders")
        server.withLock { $0 = made }
        asked.withLock { answer in
            answer = { [weak self] request in self?.answer(request) ?? .status(500) }
        }
    }

    /// What came for each number.
    var calls: [Int: Calls] { content.withLock { $0.calls } }

    /// Requests that nobody should have sent.
    var oddities: [String] { content.withLock { $0.oddities } }

    /// Waits until a call for each number up to a last one was taken; false when two minutes pass without one.
    func waitForAll(upTo last: Int) -> Bool {
        while content.withLock({ content in (1...last).contains { content.calls[$0]?.taken ?? 0 == 0 } }) {
            guard isTaken.wait(timeout: .now() + 120) == .success else { return false }
        }
        return true
    }

    /// Takes note of a call, and throws the dice.
    private func answer(_ request: ScriptedServer.Request) -> ScriptedServer.Reply {
        let key = request.headers["idempotency-key"]
        guard let number = try? JSONText.parse(request.body)["number"]?.intValue, let key else {
            content.withLock { $0.oddities.append("\(request)") }
            return .status(400)
        }
        let die = content.withLock { content in
            content.calls[number, default: Calls()].count += 1
            content.calls[number, default: Calls()].keys.insert(key)
            return Int.random(in: 0..<100, using: &content.generator)
        }
        switch die {
        case ..<30: return .status(500)
        case ..<40: return .silence
        case ..<45: return .reset
        default:
            content.withLock { $0.calls[number]?.taken += 1 }
            isTaken.signal()
            return .status(200)
        }
    }
}
