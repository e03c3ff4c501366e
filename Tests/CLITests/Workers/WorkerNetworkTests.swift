// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Testing

/// Connections that the host makes for an instance in a worker, which has no network.
@Suite(.timeLimit(.minutes(10))) struct WorkerNetworkTests {
    /// A configuration with a client in a worker, which is granted some connections.
    private func text(
        _ url: String, granted grants: [String], reading read: [String] = [], _ more: Members = [:]
    ) -> String {
        var settings: Members = ["url": .string(url), "timeout": 600, "connectTimeout": 600]
        for (key, value) in more { settings[key] = value }
        let granted = grants.map { #""\#($0)""# }.joined(separator: ", ")
        return #"""
            { "discovery": "ignore", "journal": {}, "plugins": [
                { "id": "mail", "library": "libHTTPClientPlugin.so", "placement": "worker",
                  "grant": { "network": [\#(granted)], "read": \#(Value.array(read.map(Value.string)).json()) },
                  "settings": \#(Value.object(settings).json()),
                  "lift": { "input": { "order/placed": "send" } } } ] }
            """#
    }

    /// The line of an order.
    private func order(_ id: Int) -> String { #"{"type":"order/placed","payload":{"id":\#(id)}}"# + "\n" }

    /// Sends one order, and gives the payload of the answer.
    private func answer(
        _ url: String, granted grants: [String], reading read: [String] = [], _ more: Members = [:]
    ) throws -> (payload: Value?, outcome: ChildProcess.Outcome) {
        let scene = try Scene(
            text(url, granted: grants, reading: read, more), libraries: ["HTTPClientPlugin"])
        let outcome = try scene.run(["--print", "actions"], input: order(1))
        let lines = outcome.output.split(separator: "\n").filter { $0.contains(#""mail/"#) }
        #expect(lines.count == 1, "\(outcome.output)\(outcome.errors)")
        return (try lines.first.map { try JSONText.parse(String($0))["payload"] ?? .null }, outcome)
    }

    @Test(arguments: ["127.0.0.1", "localhost", "LOCALHOST"])
    func `the bundled client sends over connections of its host`(host: String) throws {
        let server = try ScriptedServer { _, _ in .status(200, body: "ok") }
        let scene = try Scene(
            text(
                "http://\(host):\(server.port)/orders",
                granted: ["connect:other.example:443", "connect:\(host):\(server.port)"]),
            libraries: ["HTTPClientPlugin"])
        let outcome = try scene.run(["--print", "actions"], input: (1...20).map(order).joined())
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(outcome.output.split(separator: "\n").count { $0.contains("mail/succeeded") } == 20)
        #expect(Set(server.requests.map(\.body)) == Set((1...20).map { #"{"id":\#($0)}"# }))
        #expect(Set(server.requests.map { $0.headers["idempotency-key"] }).count == 20)
        #expect(!outcome.errors.contains("its worker"), "\(outcome.errors)")
    }

    @Test func `a secret is read where the entry grants its file`() throws {
        let folder = try TemporaryFolder()
        try folder.write("12345", to: "token")
        _ = unsafe chmod(folder("token"), 0o600)
        let server = try ScriptedServer { _, _ in .status(200) }
        let settings: Members = [
            "headers": ["Authorization": "Bearer {token}"], "secrets": ["token": .string(folder("token"))],
            "attempts": 1,
        ]
        let grants = ["connect:127.0.0.1:\(server.port)"]
        _ = try answer(server.url(), granted: grants, reading: [folder("token")], settings)
        #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer 12345"])
        let (payload, _) = try answer(server.url(), granted: grants, settings)
        #expect(payload?["reason"] == "secret", "\(payload ?? .null)")
        #expect(
            payload?["message"]
                == .string(
                    "the secret token cannot be read: \(folder("token")): it cannot be read: Permission denied; write it there, and let this user read it"
                ),
            "\(payload ?? .null)")
    }

    @Test func `a connection that is not granted is not made, and the sentence says what to add`() throws {
        let server = try ScriptedServer { _, _ in .status(200) }
        let (payload, outcome) = try answer(server.url(), granted: ["connect:127.0.0.1:1"])
        #expect(
            payload == [
                "id": 1, "reason": "connection",
                "message": .string(
                    #"no answer: the entry of mail does not grant connections to 127.0.0.1:\#(server.port); add "connect:127.0.0.1:\#(server.port)" to its "grant"/"network""#
                ), "attempts": 1,
            ])
        #expect(outcome.exitCode == 75)
        #expect(server.requests.isEmpty)
    }

    @Test func `where nobody listens, the system's reason is told`() throws {
        let port = try LocalPort.free()
        let (payload, _) = try answer(
            "http://127.0.0.1:\(port)/", granted: ["connect:127.0.0.1:\(port)"], ["attempts": 1])
        #expect(
            payload == [
                "id": 1, "reason": "connection",
                "message": .string("no answer: 127.0.0.1:\(port) cannot be reached: Connection refused"),
                "attempts": 1,
            ])
    }

    @Test func `where nobody answers, the time to connect holds`() throws {
        let silent = try SilentPort()
        let (payload, _) = try answer(
            "http://127.0.0.1:\(silent.port)/", granted: ["connect:127.0.0.1:\(silent.port)"],
            ["attempts": 1, "connectTimeout": 0.2])
        #expect(payload?["reason"] == "timeout", "\(payload ?? .null)")
        #expect(
            payload?["message"]?.stringValue?.contains("127.0.0.1:\(silent.port) took no connection ")
                == true,
            "\(payload ?? .null)")
    }

    @Test(.enabled(if: CertificateAuthority.isInstalled))
    func `an encrypted connection is begun with the certificate of the service, which must be trusted`()
        throws
    {
        let authority = try CertificateAuthority()
        let identity = try authority.identity("server")
        let port = try LocalPort.free()
        let server = try ChildProcess(
            "/usr/bin/openssl",
            [
                "s_server", "-accept", "127.0.0.1:\(port)", "-cert", identity.certificate, "-key",
                identity.key, "-www",
            ], in: authority.folder.path)
        try server.waitForOutput("ACCEPT")
        let (payload, _) = try answer(
            "https://127.0.0.1:\(port)/", granted: ["connect:127.0.0.1:\(port)"], ["attempts": 1])
        #expect(payload?["reason"] == "connection")
        #expect(
            payload?["message"]?.stringValue?.hasPrefix("no answer: SSL certificate problem: ") == true,
            "\(payload ?? .null)")
        server.signal(SIGKILL)
        _ = try server.finish()
    }

    @Test func `what was under way when a worker was killed is sent by the next one, under the same key`()
        throws
    {
        let arrived = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { _, number in
            arrived.signal()
            return number == 0 ? .silence : .status(200)
        }
        let host = try LiveHost(
            text(server.url(), granted: ["connect:127.0.0.1:\(server.port)"]),
            libraries: ["HTTPClientPlugin"], ["--print", "actions"])
        host.write(#"{"type":"order/placed","payload":{"id":1}}"#)
        try host.settle()
        try #require(arrived.wait(timeout: .now() + 600) == .success)
        for worker in WorkerProcesses(of: host.child).identifiers { kill(worker, SIGKILL) }
        try host.child.waitForErrors("mail: its worker died by SIGKILL")
        try #require(arrived.wait(timeout: .now() + 600) == .success)
        host.child.closeInput()
        let outcome = try host.child.finish()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(server.requests.map(\.body) == [#"{"id":1}"#, #"{"id":1}"#])
        #expect(Set(server.requests.map { $0.headers["idempotency-key"] }).count == 1)
        #expect(outcome.output.split(separator: "\n").count { $0.contains("mail/succeeded") } == 1)
    }

    @Test func `another grant makes the instance anew, and counts from then on`() throws {
        let server = try ScriptedServer { _, _ in .status(200) }
        let host = try LiveHost(
            text(server.url(), granted: ["connect:127.0.0.1:1"]), libraries: ["HTTPClientPlugin"],
            ["--print", "actions"])
        host.write(#"{"type":"order/placed","payload":{"id":1}}"#)
        try host.child.waitForErrors("does not grant connections to 127.0.0.1:\(server.port)")
        try host.reload(
            text(server.url(), granted: ["connect:127.0.0.1:\(server.port)"]),
            expecting: "replace mail: other rights")
        host.write(#"{"type":"order/placed","payload":{"id":2}}"#)
        let (output, errors, _) = try host.finish()
        #expect(output.contains("mail/succeeded"), "\(errors)")
        #expect(server.requests.map(\.body) == [#"{"id":2}"#])
    }

    @Test func `a worker that asks its host for nonsense is ended, and the host goes on`() throws {
        let scene = try Scene(
            """
            { "discovery": "ignore", "supervise": { "hang": 600, "deaths": 2 }, "plugins": [
                { "id": "counter" },
                { "id": "doomed", "placement": "worker", "grant": { "network": ["connect:127.0.0.1:1"] } }
              ] }
            """, libraries: ["CounterPlugin", "DoomedPlugin"])
        let outcome = try scene.run(
            ["--print", "state"],
            input: #"{"type":"doomed/act","payload":{"place":"handle","deed":"lie"}}"# + "\n"
                + #"{"type":"counter/increment"}"# + "\n" + #"{"type":"doomed/pass"}"# + "\n")
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        #expect(
            outcome.errors.contains(
                "doomed: its worker was ended, because it does not speak as workers do: it asks for a connection in 3 bytes at action 1, doomed/act, and another one goes on from its last checkpoint"
            ), "\(outcome.errors)")
        #expect(
            outcome.errors.contains("doomed: action 1, doomed/act, has ended 2 workers and is left out"),
            "\(outcome.errors)")
        let state = try JSONText.parse(outcome.output)
        #expect(state["counter"]?["count"] == 1)
        #expect(state["doomed"]?["heard"] == 1)
    }
}
