// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import SeededTesting
import Testing

/// The example that goes from a webhook to a chat, with its own files, and other ports.
@Suite(.timeLimit(.minutes(10))) struct WebhooksTests {
    /// The folder of the example, with the libraries where it looks for them now.
    private let folder: TemporaryFolder
    /// The ports of host and chat.
    private let ports: (host: Int, chat: Int)

    init() throws {
        folder = try TemporaryFolder()
        ports = (try LocalPort.free(), try LocalPort.free())
        for name in ["plugins", "secrets"] { _ = try folder.makeFolder(name) }
        for name in ["HTTP", "JQ", "Persistence", "File", "HTTPClient", "Logger"] {
            try folder.copyLibrary(name + "Plugin", as: "plugins/lib\(name)Plugin.so")
        }
        for name in ["plugins.json", "chat.json", "send", "deliveries.ndjson"] {
            let text = try GuidePage.text("Examples/webhooks/" + name)
                .replacing("../../.build/plugins", with: "plugins")
                .replacing("127.0.0.1:8080", with: "127.0.0.1:\(ports.host)")
                .replacing("127.0.0.1:8090", with: "127.0.0.1:\(ports.chat)")
            try folder.write(text, to: name)
        }
        for name in ["github", "chat", "token"] {
            try folder.write("the secret of \(name)\n", to: "secrets/" + name)
            #expect(unsafe chmod(folder("secrets/" + name), 0o600) == 0)
        }
    }

    /// Starts a host of the example, and waits until it listens.
    private func start(_ configuration: String, port: Int, _ arguments: [String] = []) throws -> ChildProcess
    {
        let child = try ChildProcess(
            BuiltProducts.program, ["run", "--config", configuration] + arguments, in: folder.path,
            environment: ["CACHE_DIRECTORY": folder("cache"), "XDG_RUNTIME_DIR": folder.path], keeping: folder
        )
        try child.waitForErrors("listening at http://127.0.0.1:\(port)")
        return child
    }

    /// Sends deliveries by the script of the example.
    private func send(_ arguments: [String], input: String = "") throws -> ChildProcess.Outcome {
        try ChildProcess.run(
            "/usr/bin/env", arguments: ["bash", "send"] + arguments, input: Array(input.utf8), in: folder.path
        )
    }

    @Test func `the files of the example do what its README says`() throws {
        let chat = try start("chat.json", port: ports.chat)
        let host = try start("plugins.json", port: ports.host, ["--print", "none"])
        let first = try send(["deliveries.ndjson"])
        let events = [
            "ping", "push", "push", "push", "issues", "issues", "issues", "workflow_run", "workflow_run",
            "issues", "issues", "star",
        ]
        #expect(first.output == events.map { "200 \($0) {\"accepted\":1}\n" }.joined())
        #expect(first.errors == "12 answered 200\n")
        #expect(first.exitCode == 0)
        for text in [
            "ada pushed to example/gate: Close the gate before the reload",
            "ada opened example/gate#7: The gate creaks",
            #"bob opened example/gate#8: Paint it \"green\" 🟢"#, "tests failed on main of example/gate",
        ] {
            try chat.waitForErrors(text)
        }
        let again = try send(["deliveries.ndjson"])
        #expect(again.output == events.map { "200 \($0) {\"accepted\":0,\"duplicates\":1}\n" }.joined())
        let captured = try send(["--captured", "deliveries.ndjson"])
        #expect(captured.errors == "12 answered 409\n")
        #expect(captured.exitCode == 1)
        let wrong = try send(["--again", "--secret", "secrets/chat", "deliveries.ndjson"])
        #expect(wrong.errors == "12 answered 401\n")
        #expect(wrong.exitCode == 1)
        host.signal(15)
        let outcome = try host.finish()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        let archive = try folder.read("data/archive/deliveries.ndjson")
        #expect(archive.split(separator: "\n").count == 12)
        chat.signal(15)
        let messages = try chat.finish().errorLines.filter {
            $0.contains("logger: chat/message from http with")
        }
        #expect(messages.count == 4, "\(messages)")
        // What is kept is asked for as an operator asks.
        let asked = try ChildProcess(
            BuiltProducts.program, ["run", "--print", "actions"], in: folder.path,
            environment: ["CACHE_DIRECTORY": folder("cache"), "XDG_RUNTIME_DIR": folder.path], keeping: folder
        )
        asked.write(#"{"type":"issues/request","payload":{"collection":"issues"}}"# + "\n")
        try asked.waitForOutput(
            #"{"type":"issues/received","payload":{"collection":"issues","documents":[{"id":"example/gate#7","value":{"title":"The gate creaks","state":"closed","labels":["bug"]}}]}}"#
        )
        asked.signal(15)
        #expect(try asked.finish().exitCode == 0)
    }

    @Test func `generated deliveries are counted as a reference counts them`() throws {
        var random = SeededGenerator(seed: 14)
        let server = try ScriptedServer { _, _ in .status(200) }
        let text = try folder.read("plugins.json").replacing(":\(ports.chat)/", with: ":\(server.port)/")
        try folder.write(text, to: "plugins.json")
        var lines: [String] = []
        var expected: [String] = []
        for number in 0..<60 {
            let repository: Value = ["full_name": "example/r\(number % 5)", "default_branch": "main"]
            if Bool.random(using: &random) {
                let branch = ["main", "topic"].randomElement(using: &random) ?? "main"
                let isDeleted = Int.random(in: 0..<4, using: &random) == 0
                lines.append(
                    line(
                        "push",
                        [
                            "ref": "refs/heads/\(branch)", "deleted": .bool(isDeleted),
                            "repository": repository,
                            "pusher": ["name": "p\(number)"], "head_commit": ["message": "m\(number)\nmore"],
                        ]))
                if branch == "main", !isDeleted {
                    expected.append("p\(number) pushed to example/r\(number % 5): m\(number)")
                }
            } else {
                let action = ["opened", "closed"].randomElement(using: &random) ?? "opened"
                lines.append(
                    line(
                        "issues.\(action)",
                        [
                            "action": .string(action), "repository": repository,
                            "issue": [
                                "number": Value(number), "title": "t\(number)", "state": "open", "labels": [],
                                "user": ["login": "u\(number)"],
                            ],
                        ]))
                if action == "opened" {
                    expected.append("u\(number) opened example/r\(number % 5)#\(number): t\(number)")
                }
            }
        }
        let host = try start("plugins.json", port: ports.host, ["--print", "none"])
        let sent = try send([], input: lines.joined(separator: "\n"))
        #expect(sent.errors == "60 answered 200\n")
        host.signal(15)
        let outcome = try host.finish()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        let messages = try server.requests.map { try JSONText.parse($0.body)["text"]?.stringValue ?? "" }
        #expect(messages.sorted() == expected.sorted())
        #expect(Set(server.requests.compactMap { $0.headers["idempotency-key"] }).count == expected.count)
        #expect(server.requests.allSatisfy { $0.headers["authorization"] == "Bearer the secret of chat" })
        let archive = try folder.read("data/archive/deliveries.ndjson").split(separator: "\n")
        #expect(archive.count == 60)
    }

    /// A delivery as the script reads it.
    private func line(_ event: String, _ payload: Value) -> String {
        (["type": .string("github/" + event), "payload": payload] as Value).json()
    }
}
