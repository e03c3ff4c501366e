// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// A service whose configuration is refused at a start runs the last generation that was good, and says so.
@Suite(.timeLimit(.minutes(10))) struct LastGoodTests {
    private static let entry = #"{ "id": "counter" }"#
    private static let up = #"{"type":"counter/increment"}"# + "\n"

    /// The configuration of a service with a journal.
    private static func configuration(_ entry: String) -> String {
        """
        { "name": "shop", "discovery": "ignore", "journal": {}, "ingress": { "listen": ["unix:in.sock?ack"] },
          "plugins": [\(entry)] }
        """
    }

    /// A folder in which a service has counted to three and was killed.
    private func killed() throws -> Scene {
        let scene = try Scene(Self.configuration(Self.entry), libraries: ["CounterPlugin"])
        let host = try start(scene)
        try send(3, to: scene)
        host.signal(SIGKILL)
        _ = try host.finish()
        return scene
    }

    /// Starts the service and waits until it listens.
    private func start(_ scene: Scene, _ arguments: [String] = []) throws -> ChildProcess {
        let host = try scene.start(["--control", "--print", "none"] + arguments)
        try host.waitForErrors(
            "gatehouse: shop can be controlled at \(scene.folder("gatehouse/shop.sock"))\n")
        return host
    }

    /// Has some increments acknowledged.
    private func send(_ count: Int, to scene: Scene) throws {
        let connection = try LocalConnection(scene.folder("in.sock"))
        connection.write(String(repeating: Self.up, count: count))
        connection.finishWriting()
        var done = 0
        while done < count, let line = connection.readLine() {
            done += try JSONText.parse(line)["ok"]?.intValue ?? 0
        }
        #expect(done == count)
    }

    /// What a client of the running service is told.
    private func ctl(_ scene: Scene, _ words: String...) throws -> String {
        try ChildProcess.run(
            arguments: ["ctl"] + words, in: scene.folder.path, environment: scene.environment
        ).output
    }

    /// The count of the running service.
    private func count(_ scene: Scene) throws -> Int? {
        try JSONText.parse(try ctl(scene, "state", "/counter/count")).intValue
    }

    @Test func `a service is no longer degraded once its configuration is again the one that runs`() throws {
        let scene = try killed()
        try scene.folder.write(Self.configuration("{"), to: "plugins.json")
        let host = try start(scene)
        #expect(try ctl(scene, "status").contains("\ndegraded: "))
        try scene.folder.write(Self.configuration(Self.entry), to: "plugins.json")
        #expect(try ctl(scene, "reload").contains("nothing has changed"))
        #expect(try JSONText.parse(try ctl(scene, "status", "--json"))["degraded"] == nil)
        #expect(try ctl(scene, "metrics").contains(#"gatehouse_degraded{host="shop"} 0"#))
        host.signal(SIGTERM)
        #expect(try host.finish().exitCode == 0)
    }

    @Test(arguments: [
        #"{ "id": "counter", "gat": "bypass" }"#, #"{ "id": "counter", "settings": { "step": "many" } }"#,
        #"{ "id": "counter" }, { "id": "nobody" }"#, "{",
    ])
    func `a broken configuration does not end a service that ran before`(broken: String) throws {
        let scene = try killed()
        try scene.folder.write(Self.configuration(broken), to: "plugins.json")
        let host = try start(scene)
        #expect(try count(scene) == 3)
        try send(1, to: scene)
        #expect(try count(scene) == 4)
        let sentence =
            "the configuration is refused, and the last good generation runs (generation 1 of run 1)"
        let status = try JSONText.parse(try ctl(scene, "status", "--json"))
        #expect(status["degraded"] == .string(sentence))
        #expect(status["lastReload"]?["result"] == "refused")
        #expect(try ctl(scene, "status").contains("\ndegraded: \(sentence)\n"))
        #expect(try ctl(scene, "metrics").contains(#"gatehouse_degraded{host="shop"} 1"#))
        try scene.folder.write(
            Self.configuration(#"{ "id": "counter", "settings": { "step": 10 } }"#), to: "plugins.json")
        _ = try ctl(scene, "reload")
        try send(1, to: scene)
        #expect(try count(scene) == 14)
        #expect(try JSONText.parse(try ctl(scene, "status", "--json"))["degraded"] == nil)
        host.signal(SIGTERM)
        let outcome = try host.finish()
        #expect(
            outcome.errorLines.contains(
                "gatehouse: \(sentence); correct the configuration, and the host switches to it"))
        #expect(outcome.exitCode == 0)
    }

    @Test func `a file in which no journal can be read does not end a service that ran before`() throws {
        let scene = try killed()
        try scene.folder.write("{", to: "plugins.json")
        let host = try start(scene)
        #expect(try count(scene) == 3)
        host.signal(SIGTERM)
        #expect(try host.finish().exitCode == 0)
    }

    @Test func `with --strict-start a broken configuration ends the service as it ends a batch`() throws {
        let scene = try killed()
        try scene.folder.write(Self.configuration(#"{ "id": "nobody" }"#), to: "plugins.json")
        let strict = try scene.run(["--strict-start"])
        #expect(strict.exitCode == 78)
        #expect(!strict.errors.contains("last good"))
    }

    @Test func `a batch never runs the last good generation`() throws {
        let batch = #"{ "discovery": "ignore", "journal": {}, "plugins": [\#(Self.entry)] }"#
        let scene = try Scene(batch, libraries: ["CounterPlugin"])
        #expect(try scene.run(input: Self.up).exitCode == 0)
        try scene.folder.write(
            #"{ "discovery": "ignore", "journal": {}, "plugins": [{ "id": "nobody" }] }"#, to: "plugins.json")
        let outcome = try scene.run(input: Self.up)
        #expect(outcome.exitCode == 78)
        #expect(!outcome.errors.contains("last good"))
    }

    @Test func `what is refused for who could have written it has no older version either`() throws {
        let scene = try killed()
        try FileSystem.setMode(0o666, of: scene.folder("plugins/libCounterPlugin.so"))
        let outcome = try scene.run()
        #expect(outcome.exitCode == 69)
        #expect(
            outcome.errorLines.last
                == "gatehouse: the last good generation does not run either: an owner, a mode, a signature, a digest or what an instance may emit is part of what is wrong"
        )
    }

    @Test func `a digest that is pinned now keeps an older library out`() throws {
        let scene = try killed()
        let other = String(repeating: "0", count: 64)
        try scene.folder.write(
            Self.configuration(#"{ "id": "counter", "sha256": "\#(other)" }"#), to: "plugins.json")
        let outcome = try scene.run()
        #expect(outcome.exitCode == 69)
        #expect(outcome.errors.contains("the last good generation does not run either"))
    }

    @Test func `a clean start keeps the libraries that it runs, with recorded settings for nobody else`()
        throws
    {
        let scene = try killed()
        let digests = FileSystem.names(in: scene.folder("journal/images"))
        #expect(digests.count == 1)
        #expect(try FileSystem.mode(of: scene.folder("journal/journal.sqlite")) == 0o600)
        let status = try start(scene)
        #expect(try ctl(scene, "status").contains("libraries kept beside it: 1, "))
        status.signal(SIGTERM)
        _ = try status.finish()
    }
}
