// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

@testable import GatehousePlan
@testable import GatehouseRuntime

/// What is counted of an input.
@Suite struct InputAccountTests {
    @Test func `a stream has no connections, and has ended when it ends`() {
        let account = InputAccount(.stream(0, name: "in.ndjson"), in: IngressConfiguration())
        account.add(lines: 3, rejected: 1)
        account.add(lines: 2, rejected: 0)
        #expect(
            account.status.value
                == ["name": "in.ndjson", "kind": "input", "lines": 5, "rejected": 1, "ended": false])
        account.connect()
        account.end()
        #expect(account.status.hasEnded && account.status.connections == nil)
    }

    @Test func `the connections of a socket are counted, and their ends do not end it`() throws {
        let folder = try TemporaryFolder()
        let socket = try ListeningSocket(path: folder("in.sock"), mode: 0o600, acknowledges: false)
        defer {
            socket.remove()
            socket.close()
        }
        let account = InputAccount(.listener(socket), in: IngressConfiguration())
        #expect(
            account.status.value == [
                "name": "in.sock", "kind": "listen", "lines": 0, "rejected": 0, "ended": false,
                "connections": 0,
            ])
        account.connect()
        account.connect()
        account.end()
        #expect(account.status.connections == 1 && !account.status.hasEnded)
    }
}
