// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseHostTesting
import Synchronization

/// Clients that never ask for anything as they should, on a thread of their own: slow headers and bodies, headers without end, bytes
/// that are no request, connections that are half closed, and answers that nobody reads.
final class HostileClients: Sendable {
    /// The port that they connect to.
    private let port: Int
    /// Whether they go on.
    private let goesOn = Mutex(true)
    /// Entered as long as they do.
    private let group = DispatchGroup()
    /// Signalled after each connection.
    private let connected = DispatchSemaphore(value: 0)

    /// So many connections are open at the same time; the oldest is closed for a new one.
    private static let most = 200

    /// Clients that connect from here on.
    init(port: Int) {
        self.port = port
        DispatchQueue(label: "hostile").async(group: group) { [self] in
            var open: [LocalConnection] = []
            for number in 0... {
                guard goesOn.withLock(\.self) else { break }
                guard let connection = try? LocalConnection(port: port) else { continue }
                Self.attack(connection, number)
                open.append(connection)
                if open.count > Self.most { open.removeFirst() }
                connected.signal()
            }
        }
    }

    /// Waits until as many have connected as stay open.
    func waitUntilThere() throws {
        for _ in 0..<Self.most where connected.wait(timeout: .now() + 60) == .timedOut {
            throw SystemFailure("nobody can connect to port \(port)")
        }
    }

    /// Closes all connections.
    func finish() {
        goesOn.withLock { $0 = false }
        group.wait()
    }

    /// Sends what one kind of client sends.
    private static func attack(_ connection: LocalConnection, _ number: Int) {
        switch number % 6 {
        case 0: connection.write("GET /health HT")
        case 1: connection.write("POST /actions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{")
        case 2:
            connection.write("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            for line in 0..<1_000 where connection.write("X-\(line): aaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n") {}
        case 3:
            connection.write("\u{0}\u{1}\u{2}\r\n\r\n")
            connection.finishWriting()
        case 4: connection.finishWriting()
        default:
            connection.write(
                String(repeating: "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", count: 100))
        }
    }
}
