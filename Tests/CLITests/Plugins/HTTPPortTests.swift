// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// What becomes of clients while a host changes: over 3 reloads, or `GATEHOUSE_RELOADS`, and over a fifth as many crashes.
@Suite(.timeLimit(.minutes(120)))
struct HTTPPortTests {
    /// How often the settings change.
    private static let reloads =
        unsafe getenv("GATEHOUSE_RELOADS").flatMap { unsafe Int(String(cString: $0)) } ?? 3
    /// How often the host dies.
    private static let crashes = max(reloads / 5, 1)
    /// How many clients ask at the same time.
    private static let clients = 4

    /// A supervisor's rules under which a host may die as often as it likes.
    private let rules = #""supervise": { "pause": 0, "crashes": 1000, "deaths": 100 }, "#

    /// Settings that differ from those of every other number.
    private func settings(_ number: Int) -> String { #""maximumBody": \#(2_000 + number)"# }

    /// Lets all clients finish; gives what came of their questions together.
    private func finish(_ clients: [AskingClient]) -> AskingClient.Count {
        clients.map { $0.finish() }.reduce(AskingClient.Count(), +)
    }

    @Test func `a reload of the settings refuses nobody, and cuts nobody off`() throws {
        let host = try HTTPHost(HTTPHost.configuration(settings(0)))
        let clients = (0..<Self.clients).map { _ in AskingClient(port: host.port) }
        defer { for client in clients { _ = client.finish() } }
        for number in 1...Self.reloads {
            try host.scene.folder.write(HTTPHost.configuration(settings(number)), to: "plugins.json")
            host.child.signal(SIGHUP)
            try host.child.waitForErrors("generation \(number + 1) runs")
            for client in clients { try client.waitForAnswer() }
        }
        let count = finish(clients)
        #expect(count.refused == 0)
        #expect(count.cutOff == 0)
        #expect(count.others.isEmpty, "\(count.others)")
        #expect(count.answered >= Self.reloads * Self.clients)
        #expect(try host.finish().exitCode == 0)
    }

    @Test func `a crash under a supervisor refuses nobody, and cuts off only who is being answered`() throws {
        let host = try HTTPHost(
            HTTPHost.configuration(members: rules, entries: #", { "id": "fatal" }"#),
            ["--supervise", "--print", "none"], libraries: ["FatalPlugin"])
        let clients = (0..<Self.clients).map { _ in AskingClient(port: host.port) }
        defer { for client in clients { _ = client.finish() } }
        for number in 1...Self.crashes {
            for client in clients { try client.waitForAnswer() }
            host.child.write(#"{"type":"fatal/act","payload":{"place":"handle","deed":"kill"}}"# + "\n")
            // It listens at the port that the system had chosen at first.
            try host.child.waitForErrors {
                $0.ranges(of: "listening at http://127.0.0.1:\(host.port)\n").count > number
            }
            for client in clients { try client.waitForAnswer() }
        }
        let count = finish(clients)
        #expect(count.refused == 0)
        #expect(count.cutOff <= Self.crashes * Self.clients)
        #expect(count.others.isEmpty, "\(count.others)")
        #expect(try host.finish().exitCode == 0)
    }

    @Test func `a crash under a service manager leaves the socket with it`() throws {
        let scene = try Scene(HTTPHost.configuration(), libraries: ["HTTPPlugin", "CounterPlugin"])
        let manager = try ServiceManager(in: scene.folder)
        let child = try ChildProcess(
            BuiltProducts.program, ["run"], in: scene.folder.path,
            environment: scene.environment.merging(["NOTIFY_SOCKET": manager.address]) { $1 },
            keeping: scene.folder)
        _ = try HTTPHost.port(of: child)
        let kept = try manager.next()
        #expect(kept.wholeMatch(of: /FDSTORE=1\nFDNAME=gatehouse-port-[0-9a-f]{32}/) != nil, "\(kept)")
        child.signal(SIGTERM)
        #expect(try child.finish().exitCode == 0)
        // A run that ends lets go of it.
        #expect(manager.rest.contains(kept.replacing("FDSTORE=1", with: "FDSTOREREMOVE=1")))
    }

    @Test func `whoever asks while a host with a socket unit is dead is answered by the next one`() throws {
        let socket = try ListeningAddress.port(host: "127.0.0.1", 0).open()
        defer { close(socket) }
        guard case .port(_, let port) = try #require(ListeningAddress(of: socket)) else { return }
        let scene = try Scene(
            HTTPHost.configuration(port: Int(port)), libraries: ["HTTPPlugin", "CounterPlugin"])
        let start = {
            let child = try ChildProcess(
                "/bin/sh",
                [
                    "-c", #"exec env LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=web "$0" run"#,
                    BuiltProducts.program,
                ], in: scene.folder.path, environment: scene.environment, handing: socket,
                keeping: scene.folder)
            #expect(try HTTPHost.port(of: child) == Int(port))
            return child
        }
        let first = try start()
        first.signal(SIGKILL)
        _ = try first.finish()
        let client = HTTPConnection(try LocalConnection(port: Int(port)))
        client.send("GET", "/health")
        let second = try start()
        #expect(try client.receive().status == 200)
        second.signal(SIGTERM)
        #expect(try second.finish().exitCode == 0)
    }

    @Test func `a reload that changes the address opens the new one, and closes the old one`() throws {
        let host = try HTTPHost()
        let port = try LocalPort.free()
        try host.scene.folder.write(HTTPHost.configuration(port: port), to: "plugins.json")
        host.child.signal(SIGHUP)
        try host.child.waitForErrors("generation 2 runs")
        #expect(try HTTPConnection(LocalConnection(port: port)).raw.write("GET"))
        #expect(throws: (any Error).self) { try host.connect() }
        #expect(try host.finish().exitCode == 0)
    }

    // MARK: - A run that is a service

    @Test func `an instance that listens holds the run open when standard input has ended`() throws {
        let host = try HTTPHost()
        host.child.closeInput()
        // What was read to the end is processed: this line is the last.
        for number in 1...3 {
            #expect(try host.bring(#"{"type":"counter/increment"}"#).status == 200)
            #expect(try host.ask("GET", "/state/counter/count").body == "\(number)\n")
        }
        let outcome = try host.finish()
        #expect(outcome.exitCode == 0)
        #expect(outcome.errors.contains("ended early by signal 15"))
    }

    @Test func `check tells what holds a run open`() throws {
        let scene = try Scene(
            HTTPHost.configuration(
                members: #""ingress": { "listen": ["unix:in.sock"], "tail": ["app.log"] }, "#
            )
            .replacing(#""listen": "127.0.0.1:0", "#, with: ""),
            libraries: ["HTTPPlugin", "CounterPlugin"])
        #expect(
            try scene.call("check").errorLines.suffix(1) == [
                "gatehouse: http listens at 127.0.0.1:8080, writers connect to in.sock, app.log is followed: a run continues until it is asked to end"
            ])
    }

    @Test func `a run ends when its input has ended and no instance listens any more`() throws {
        let host = try HTTPHost()
        host.child.closeInput()
        #expect(try host.ask("GET", "/health").status == 200)
        try host.scene.folder.write(
            #"{ "name": "shop", "discovery": "ignore", "plugins": [{ "id": "counter" }] }"#,
            to: "plugins.json")
        host.child.signal(SIGHUP)
        #expect(try host.child.finish().exitCode == 0)
    }
}
