// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// The plugin in a host, against a server of the test's own.
@Suite(.timeLimit(.minutes(10))) struct HTTPClientRunTests {
    /// Where a closed port is, nobody answers.
    private static let message =
        #"{"type":"chat/message","payload":{"id":7,"room":"ops","message":{"text":"Hello"}}}"#

    /// The configuration of the README, with the port of a server.
    private func scene(_ server: ScriptedServer) throws -> Scene {
        let configuration = try PluginReadme.configuration(of: "HTTPClient")
        let scene = try Scene(
            configuration.replacing("127.0.0.1:8065", with: "127.0.0.1:\(server.port)"),
            libraries: ["HTTPClientPlugin"])
        try scene.folder.write("s3cret\n", to: "chat-token")
        #expect(unsafe chmod(scene.folder("chat-token"), 0o600) == 0)
        return scene
    }

    /// Runs lines through a scene, whose credentials are in its folder, or in one of that.
    private func run(_ scene: Scene, credentials: String = ".", input: String) throws -> ChildProcess.Outcome
    {
        try ChildProcess.run(
            arguments: ["run", "--print", "actions"], input: Array(input.utf8), in: scene.folder.path,
            environment: scene.environment.merging(["CREDENTIALS_DIRECTORY": scene.folder(credentials)]) {
                $1
            })
    }

    @Test func `the configuration of the README sends what it says, and its answers come back`() throws {
        let server = try ScriptedServer { request, _ in
            request.body.contains("Hello") ? .status(200, body: "ok") : .status(404)
        }
        let outcome = try run(
            scene(server),
            input: Self.message + "\n"
                + #"{"type":"alerts/disk","payload":{"id":8,"room":"a b","message":1}}"#)
        #expect(
            outcome.output.split(separator: "\n").filter {
                $0.contains("chat/succeeded") || $0.contains("chat/failed")
            }
            .sorted() == [
                #"{"type":"chat/failed","payload":{"id":8,"reason":"status","message":"the service answers 404","status":404,"attempts":1},"error":true}"#,
                #"{"type":"chat/succeeded","payload":{"id":7,"status":200,"body":"ok","attempts":1}}"#,
            ])
        #expect(outcome.exitCode == 75)
        let requests = server.requests.sorted { $0.target < $1.target }
        #expect(requests.map(\.target) == ["/hooks/a%20b", "/hooks/ops"])
        #expect(requests.map(\.body) == ["1", #"{"text":"Hello"}"#])
        #expect(requests.allSatisfy { $0.headers["authorization"] == "Bearer s3cret" })
        let keys = requests.compactMap { $0.headers["idempotency-key"] }
        #expect(Set(keys).count == 2)
        #expect(!outcome.output.contains("s3cret") && !outcome.errors.contains("s3cret"))
    }

    @Test func `a secret among the credentials goes before one of the same name in the current folder`()
        throws
    {
        let server = try ScriptedServer { _, _ in .status(200) }
        let scene = try scene(server)
        _ = try scene.folder.makeFolder("given")
        #expect(try run(scene, credentials: "given", input: Self.message).exitCode == 0)
        try scene.folder.write("g1ven\n", to: "given/chat-token")
        try FileSystem.setMode(0o600, of: scene.folder("given/chat-token"))
        #expect(try run(scene, credentials: "given", input: Self.message).exitCode == 0)
        #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer s3cret", "Bearer g1ven"])
    }

    @Test func `each attempt of one action has the same key`() throws {
        let server = try ScriptedServer { _, number in number == 0 ? .raw("") : .status(200) }
        let scene = try scene(server)
        let outcome = try run(scene, input: Self.message)
        #expect(outcome.output.contains(#""status":200,"attempts":2"#), "\(outcome.output) \(outcome.errors)")
        #expect(server.requests.count == 2)
        #expect(Set(server.requests.map { $0.headers["idempotency-key"] }).count == 1)
        #expect(outcome.exitCode == 0)
    }

    @Test func `a host that is asked to end waits for the answer, but no longer than allowed`() throws {
        let server = try ScriptedServer { _, _ in .silence }
        let scene = try scene(server)
        let child = try ChildProcess(
            BuiltProducts.program, ["run", "--print", "none", "--grace", "0.2"], in: scene.folder.path,
            environment: scene.environment.merging(["CREDENTIALS_DIRECTORY": scene.folder.path]) { $1 },
            keeping: scene.folder)
        child.write(Self.message + "\nmark\n")
        try child.waitForErrors("expected a value, found mark")
        child.signal(15)
        let outcome = try child.finish()
        #expect(
            outcome.errors.contains(
                "1 effect of chat had not finished after 0.2 s and is given up; allow more time with --grace"),
            "\(outcome.errors)")
    }

    @Test func `settings that cannot be meant are refused by check, with place and sentence`() throws {
        func complaint(_ settings: String) throws -> String {
            let scene = try Scene(
                #"{ "plugins": [{ "id": "http-client", "settings": \#(settings) }] }"#,
                libraries: ["HTTPClientPlugin"])
            let outcome = try scene.call("check")
            #expect(outcome.exitCode == 78)
            return outcome.errors.split(separator: "/plugins/0/settings").last.map(String.init) ?? ""
        }
        let url =
            "expected a URL of http or https, with {/pointer} for parts of the payload after the host, found"
        #expect(
            try complaint(#"{ "url": "ftp://example.org/" }"#)
                == "/url: \(url) \"ftp://example.org/\"; correct it\n")
        #expect(
            try complaint(#"{ "url": "https://{/host}/" }"#)
                == "/url: \(url) \"https://{/host}/\"; correct it\n")
        #expect(
            try complaint(#"{ "url": "https://me:pw@example.org/" }"#)
                == "/url: \(url) \"https://me:pw@example.org/\"; correct it\n")
        #expect(
            try complaint(#"{ "headers": { "X": "a\r\nb" } }"#)
                == #"/headers/X: expected a text without line breaks, with {/pointer} for a part of the payload and {name} for a secret, found "a\r\nb"; correct it"#
                + "\n")
        #expect(
            try complaint(#"{ "headers": { "a b": "" } }"#)
                == #"/headers/a b: expected the name of a header, found "a b"; correct it"# + "\n")
        #expect(try complaint(#"{ "attempts": 0 }"#).hasPrefix("/attempts: expected"))
    }
}
