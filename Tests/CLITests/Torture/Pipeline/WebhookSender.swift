// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Synchronization

/// Delivers numbered webhooks as GitHub does, but again until each is acknowledged, while the host may die at any moment.
final class WebhookSender: Sendable {
    /// What became of the deliveries.
    struct Account {
        /// Connections that were refused.
        var refused = 0
        /// Deliveries that were sent more than once, because no answer came.
        var again = 0
        /// Answers that should not have come.
        var oddities: [String] = []
    }

    private let socket: String
    private let guarded = Mutex(Account())

    /// A sender to whoever listens at a path.
    init(to socket: String) { self.socket = socket }

    /// What is known so far.
    var account: Account { guarded.withLock { $0 } }

    /// Delivers webhooks with these numbers, one after the other, over as many connections as it takes.
    func deliver(_ numbers: some Sequence<Int>) {
        var connection: HTTPConnection?
        for number in numbers {
            var isFirst = true
            while true {
                if !isFirst { guarded.withLock { $0.again += 1 } }
                isFirst = false
                // Whoever is refused need not go on: nobody may be.
                guard let open = connection ?? connect() else { return }
                connection = open
                guard let answer = ask(open, number) else {
                    connection = nil
                    continue
                }
                if answer.status == 200 { break }
                // The host ends, or replaces the instance that listens: who is told so comes back.
                if answer.status != 503 {
                    guarded.withLock { $0.oddities.append("\(number): \(answer.status) \(answer.body)") }
                    break
                }
                connection = nil
            }
        }
    }

    /// Connects; nil, which is counted, where nobody listens.
    private func connect() -> HTTPConnection? {
        if let raw = try? LocalConnection(socket) { return HTTPConnection(raw) }
        guarded.withLock { $0.refused += 1 }
        return nil
    }

    /// Delivers one webhook; nil when the connection has ended.
    private func ask(_ connection: HTTPConnection, _ number: Int) -> HTTPConnection.Answer? {
        let body = #"{"number":\#(number)}"#
        connection.send(
            "POST", "/hooks/github", HTTPHost.delivery("delivery-\(number)", body: body), body)
        return try? connection.receive()
    }
}
