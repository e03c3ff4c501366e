// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// More clients than a host has places for, with a hundred, or `GATEHOUSE_CONNECTIONS`, connections on which nothing comes.
@Suite(.timeLimit(.minutes(120)))
struct HTTPDoorTests {
    /// How many connections are opened.
    private static let count = asked ?? 100
    /// How many somebody has asked for, who looks at times too.
    private static let asked =
        unsafe getenv("GATEHOUSE_CONNECTIONS").flatMap { unsafe Int(String(cString: $0)) }
    /// How many of them one process opens.
    private static let most = 5_000

    /// Opens connections to a port in processes of their own, and waits until all are open.
    private func open(_ count: Int, to port: Int) throws -> [ChildProcess] {
        let script =
            "ulimit -n $(($1 + 100)); for ((i = 0; i < $1; i++)); do exec {fd}<>/dev/tcp/127.0.0.1/$0 || exit 1; done; echo open; read"
        let clients = try stride(from: 0, to: count, by: Self.most).map { first in
            try ChildProcess(
                "/bin/bash", ["-c", script, "\(port)", "\(min(Self.most, count - first))"], in: "/")
        }
        for client in clients { try client.waitForOutput("open") }
        return clients
    }

    /// Asks something on a connection of its own, and expects the answer that is right; within a time, where somebody looks at that.
    private func expectAnswer(within limit: Duration, _ ask: () throws -> Bool) rethrows {
        let start = ContinuousClock.now
        #expect(try ask())
        let time = start.duration(to: .now)
        if Self.asked != nil { #expect(time < limit, "\(time)") }
    }

    @Test(arguments: ["", #""maximumConnections": 20"#])
    func `connections on which nothing comes keep nobody from the host`(settings: String) throws {
        let host = try HTTPHost(HTTPHost.configuration(settings), ["--control"])
        let events = try host.connect()
        events.send("GET", "/events", ["Authorization": "Bearer " + HTTPHost.token])
        #expect(try events.receiveHeader().status == 200)
        let clients = try open(Self.count, to: host.port)
        for _ in 0..<10 {
            try expectAnswer(within: .seconds(1)) { try host.ask("GET", "/health").status == 200 }
        }
        #expect(try host.bring(#"{"type":"counter/increment"}"#).status == 200)
        try expectAnswer(within: .milliseconds(100)) {
            try host.scene.call("ctl", "status").exitCode == 0
        }
        // A stream that somebody listens to goes on.
        #expect(events.raw.readLine() != nil)
        host.child.signal(SIGTERM)
        #expect(try host.child.finish().exitCode == 0)
        for client in clients {
            client.signal(SIGKILL)
            _ = try client.finish()
        }
    }

    @Test func `streams leave room for others, and who asks for one too many is told to come again`() throws {
        let host = try HTTPHost(HTTPHost.configuration(#""maximumConnections": 20"#))
        let streams = try (0..<16).map { _ in
            let client = try host.connect()
            client.send("GET", "/events", ["Authorization": "Bearer " + HTTPHost.token])
            return (client, try client.receiveHeader().status)
        }
        #expect(streams.map(\.1) == Array(repeating: 200, count: 15) + [503])
        let idle = try (0..<50).map { _ in try host.connect() }
        #expect(try host.bring(#"{"type":"counter/increment"}"#).status == 200)
        for (client, _) in streams.prefix(15) { #expect(client.raw.readLine() != nil) }
        #expect(try host.ask("GET", "/health").status == 200)
        for client in idle { client.raw.close() }
        #expect(try host.finish().exitCode == 0)
    }
}
