// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// What clients of instances have under way while another process goes on for their host.
@Suite(.timeLimit(.minutes(10))) struct UpgradeRequestsTests {
    /// What requests to change something show.
    private let fields = ["Authorization": "Bearer open sesame"]

    /// A line with an entry of the ledger.
    private func line(_ number: Int, by writer: String = "w", id: String? = nil) -> String {
        let meta = id.map { #","meta":{"id":"\#($0)"}"# } ?? ""
        return #"{"type":"ledger/enter","payload":{"writer":"\#(writer)","number":\#(number)}\#(meta)}"#
    }

    /// A host with a ledger behind HTTP.
    private func webHost(at place: String) throws -> UpgradedHost {
        try UpgradedHost(
            entries: #"""
                , { "id": "http", "settings": { "listen": "\#(place)", "tokenFile": "token" },
                    "lift": { "dependencies": ["ingress"] } }
                """#, libraries: ["HTTPPlugin"]
        ) { scene in
            try FileSystem.write(Array("open sesame\n".utf8), to: scene.folder("token"), mode: 0o600)
            return nil
        }
    }

    /// Sends the beginning of a request that the host has not answered when it stands still.
    ///
    /// - Returns: the connection, and the rest of the request.
    private func begin(_ body: String, on connection: LocalConnection) -> (HTTPConnection, rest: String) {
        let slow = HTTPConnection(connection)
        let split = 10
        slow.send(
            "POST", "/actions", fields.merging(["Content-Length": "\(body.utf8.count)"]) { $1 },
            String(body.prefix(split)))
        return (slow, String(body.dropFirst(split)))
    }

    // MARK: - In the host

    @Test func `requests over HTTP that are under way get their answers from the process that took them`()
        throws
    {
        let host = try webHost(at: "127.0.0.1:0")
        let port = try HTTPHost.port(of: host.child)
        let (slow, rest) = begin(line(1, by: "slow"), on: try LocalConnection(port: port))
        // The old process has the beginning of this request by the time it has answered the next one; the new one never sees it.
        let quick = HTTPConnection(try LocalConnection(port: port))
        quick.send("POST", "/actions", fields, line(1))
        #expect(try quick.receive().status == 200)
        try host.upgrade()
        slow.raw.write(rest)
        #expect(try slow.receive().status == 200)
        let next = HTTPConnection(try LocalConnection(port: port))
        next.send("POST", "/actions", fields, line(2))
        #expect(try next.receive().status == 200)
        let (state, _) = try host.finish()
        #expect(try LedgerPage(of: "slow", in: state).entered == [1...1])
        #expect(try LedgerPage(of: "w", in: state).entered == [1...2])
    }

    @Test func `an action that the process before had kept is a duplicate for the one that goes on, too`()
        throws
    {
        let host = try webHost(at: "127.0.0.1:0")
        let port = try HTTPHost.port(of: host.child)
        let lines = [line(1, id: "a"), line(2, id: "b"), line(3, id: "c")]
        let (slow, rest) = begin(lines.joined(separator: "\n"), on: try LocalConnection(port: port))
        let quick = HTTPConnection(try LocalConnection(port: port))
        for line in lines.prefix(2) {
            quick.send("POST", "/actions", fields, line)
            #expect(try quick.receive().body == "{\"accepted\":1}\n")
        }
        try host.upgrade()
        slow.raw.write(rest)
        #expect(try slow.receive().body == "{\"accepted\":1,\"duplicates\":2}\n")
        let (state, _) = try host.finish()
        let page = try LedgerPage(of: "w", in: state)
        #expect(page.entered == [1...3])
        #expect(page.faults == [])
    }

    @Test func `a socket of an instance at a path stays where clients find it`() throws {
        let host = try webHost(at: "unix:web.sock")
        let path = host.scene.folder("web.sock")
        for number in 1...3 {
            let client = HTTPConnection(try LocalConnection(path))
            client.send("POST", "/actions", fields, line(number))
            #expect(try client.receive().status == 200)
            if number < 3 { try host.upgrade() }
        }
        #expect(try LedgerPage(of: "w", in: host.finish().state).entered == [1...3])
    }

    // MARK: - In workers

    @Test(arguments: ["host", "worker"])
    func
        `an instance answers clients that it serves at the end, and what it emits for them is kept by the next process`(
            placement: String
        ) throws
    {
        let port = try LocalPort.free()
        let grant = placement == "worker" ? #""grant": { "network": ["listen:127.0.0.1:\#(port)"] },"# : ""
        let host = try UpgradedHost(
            entries: #"""
                , { "id": "echo", "library": "libServingPlugin.so", "placement": "\#(placement)", \#(grant)
                    "settings": { "port": \#(port), "waits": true } }
                """#, libraries: ["ServingPlugin"], ["--supervise", "--print", "actions"])
        let old = try LocalConnection(port: port)
        old.write("first\nsec")
        let server = try #require(old.readLine()).split(separator: " ")
        #expect(server.last == "first")
        try host.upgrade()
        // The one before may still accept for a moment.
        var words = ["first", "second"]
        var other: Substring?
        repeat {
            let client = try LocalConnection(port: port)
            words.append("more-\(words.count)")
            client.write(words[words.count - 1] + "\n")
            let answer = try #require(client.readLine()).split(separator: " ")
            #expect(answer.last.map(String.init) == words.last)
            other = answer.first
        } while other == server.first
        old.write("ond\n")
        #expect(old.readLine() == "\(server[0]) second")
        old.close()
        // It is there before the process that took it ends.
        _ = try host.child.waitForOutput(#""type":"echo/line","payload":"second""#)
        host.child.signal(SIGTERM)
        let outcome = try host.child.finish()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        for word in words {
            #expect(outcome.output.ranges(of: #""payload":"\#(word)""#).count == 1, "\(outcome.output)")
        }
        #expect(!outcome.errors.contains("its worker"), "\(outcome.errors)")
    }
}
