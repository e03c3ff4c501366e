// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// What clients send that is none of what they should, and more than they should.
@Suite(.timeLimit(.minutes(10))) struct HTTPAbuseTests {
    private let increment = #"{"type":"counter/increment"}"#

    /// Expects that the host is as it was.
    private func expectUnharmed(_ host: HTTPHost) throws {
        #expect(try host.bring(increment).status == 200)
        #expect(try host.ask("GET", "/health").status == 200)
    }

    @Test(arguments: [
        "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "nonsense\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
        "POST /actions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
        "POST /actions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "GET /state/%00%ff%zz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
        "GET / HTTP/1.1\r\n: \r\n\r\n", "GET http://[ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ])
    func `garbage is answered or hung up on, and the host goes on`(text: String) throws {
        let host = try HTTPHost()
        let client = try host.connect()
        client.raw.write(text)
        client.raw.finishWriting()
        if let line = client.raw.readLine() {
            #expect(line.contains(" 4") || line.contains(" 505 "), "\(line)")
        }
        client.raw.close()
        try expectUnharmed(host)
        #expect(try host.finish().exitCode == 0)
    }

    @Test func `bytes that are no request are waited on, and harm nobody`() throws {
        let host = try HTTPHost()
        let client = try host.connect()
        client.raw.write("\u{0}\u{1}\u{2}\r\n\r\n")
        try expectUnharmed(host)
        client.raw.close()
        #expect(try host.finish().exitCode == 0)
    }

    @Test func `a header that is too long is refused, however often it comes`() throws {
        let host = try HTTPHost()
        let one = try host.connect()
        one.raw.write(
            "GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX: \(String(repeating: "x", count: 17_000))")
        #expect(try one.receiveHeader().status == 431)
        for _ in 0..<3 {
            let client = try host.connect()
            client.raw.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            for number in 0..<2_000 where client.raw.write("X-\(number): aaaaaaaaaaaaaaaaaaaaaaaaa\r\n") {}
            client.raw.close()
        }
        try expectUnharmed(host)
        #expect(try host.finish().exitCode == 0)
    }

    @Test func `a body of 100 MB is refused by what its header says, and one that says nothing on the way`()
        throws
    {
        let host = try HTTPHost()
        try expectUnharmed(host)
        let before = try host.child.memory()
        let announced = try host.connect()
        announced.send(
            "POST", "/actions",
            ["Authorization": "Bearer " + HTTPHost.token, "Content-Length": "100000000"])
        let answer = try announced.receive()
        #expect(answer.status == 413)
        #expect(
            answer.body
                == #"{"error":"expected at most 8388608 bytes, found 100000000; send less at once"}"# + "\n")
        let silent = try host.connect()
        silent.raw.write(
            "POST /actions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(HTTPHost.token)\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        let chunk = "10000\r\n" + String(repeating: "x", count: 65_536) + "\r\n"
        // Hung up on before all of it is there.
        let isHungUp = (0..<1_600).contains { _ in !silent.raw.write(chunk) }
        #expect(isHungUp)
        #expect(try host.child.memory() - before < 64 << 20)
        try expectUnharmed(host)
        let outcome = try host.finish()
        #expect(outcome.errors.contains("http: 127.0.0.1 announced a body of 100000000 bytes for /actions\n"))
        #expect(outcome.exitCode == 0)
    }

    @Test func `a body that ends soon past the limit is told why it is refused`() throws {
        let host = try HTTPHost(HTTPHost.configuration(#""maximumBody": 2000"#))
        let client = try host.connect()
        client.raw.write(
            "POST /actions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(HTTPHost.token)\r\nTransfer-Encoding: chunked\r\n\r\nbb8\r\n\(String(repeating: "x", count: 3_000))\r\n0\r\n\r\n"
        )
        let answer = try client.receive()
        #expect(answer.status == 413)
        #expect(
            answer.body == #"{"error":"expected at most 2000 bytes, found more; send less at once"}"# + "\n")
        _ = try host.finish()
    }

    @Test func `announced bodies take no room, and what has come of others is bounded`() throws {
        let host = try HTTPHost()
        let header =
            "POST /actions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(HTTPHost.token)\r\nContent-Length: 8388608\r\n\r\n"
        let idle = try (0..<20).map { _ in
            let client = try host.connect()
            client.raw.write(header)
            return client
        }
        try expectUnharmed(host)
        // Of 64 MiB one client may have half.
        let large = try (0..<5).map { _ in
            let client = try host.connect()
            client.raw.write(header + String(repeating: "x", count: 7 << 20))
            return client
        }
        /// How a body is answered that is larger than a piece in which others come.
        let body = increment + String(repeating: " ", count: 64 << 10)
        func status() throws -> Int {
            let client = try host.connect()
            client.send("POST", "/actions", ["Authorization": "Bearer " + HTTPHost.token], body)
            return try client.receive().status
        }
        while try status() != 503 {}
        for client in large { client.raw.close() }
        while try status() != 200 {}
        withExtendedLifetime(idle) {}
        #expect(try host.finish().exitCode == 0)
    }

    @Test func `a host that ends waits only a moment for a body that never comes`() throws {
        let host = try HTTPHost()
        let client = try host.connect()
        client.raw.write(
            "POST /actions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(HTTPHost.token)\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n"
        )
        #expect(try client.receiveHeader().status == 100)
        let outcome = try host.finish()
        #expect(outcome.exitCode == 0)
        #expect(!outcome.errors.contains("given up"))
    }

    @Test(.timeLimit(.minutes(10)))
    func `a thousand connections that stay open are served in bounded memory`() throws {
        LocalConnection.raiseLimit()
        let host = try HTTPHost()
        try expectUnharmed(host)
        let before = try host.child.memory()
        let clients = try (0..<1_000).map { _ in try host.connect() }
        for _ in 0..<10 {
            for client in clients {
                client.send("POST", "/actions", ["Authorization": "Bearer " + HTTPHost.token], increment)
            }
            for client in clients { #expect(try client.receive().status == 200) }
        }
        let grown = try host.child.memory() - before
        #expect(grown < 96 << 20, "by \(grown) bytes")
        #expect(try host.bring(increment).status == 200)
        #expect(try host.ask("GET", "/state/counter/count").body == "10002\n")
        for client in clients { client.raw.close() }
        #expect(try host.finish().exitCode == 0)
    }
}
