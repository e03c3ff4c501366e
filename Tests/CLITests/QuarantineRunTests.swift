// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// What a supervised service does with a library in quarantine, and what its slice has after that.
@Suite(.timeLimit(.minutes(10))) struct QuarantineRunTests {
    private let pass = #"{"type":"fatal/pass"}"#

    /// An action that ends the host.
    private func act(_ place: String, _ deed: String) -> String {
        #"{"type":"fatal/act","payload":{"place":"\#(place)","deed":"\#(deed)"}}"#
    }

    /// A service with a journal whose plugin is in quarantine after its first crash, and a client.
    private func service(
        _ entries: String = #"{ "id": "fatal" }"#, crashes: Int = 1
    ) throws -> (scene: Scene, child: ChildProcess) {
        let scene = try Scene(
            """
            { "name": "guarded", "discovery": "ignore", "journal": { "snapshotEvery": 500 },
              "supervise": { "pause": 0, "crashes": \(crashes), "deaths": 100 },
              "ingress": { "listen": ["unix:in.sock?ack"] }, "plugins": [\(entries)] }
            """, libraries: ["FatalPlugin", "CounterPlugin"])
        let child = try scene.start(["--supervise", "--print", "none"])
        try child.waitForErrors("can be controlled at")
        return (scene, child)
    }

    /// Sends lines and waits until the last of them is acknowledged.
    private func send(_ lines: [String], to scene: Scene) throws {
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(lines.map { $0 + "\n" }.joined())
        var answer: String?
        repeat { answer = writer.readLine() } while answer != nil && answer != #"{"ok":\#(lines.count)}"#
        #expect(answer != nil)
    }

    /// Lets the plugin end the host once, which puts it into quarantine.
    private func crash(_ scene: Scene, _ child: ChildProcess) throws {
        let writer = try LocalConnection(scene.folder("in.sock"))
        writer.write(act("handle", "trap") + "\n")
        #expect(writer.readLine() == nil)
        try child.waitForErrors("fatal: it is not loaded, because fatal is in quarantine")
        try child.waitForErrors("it is restarted")
    }

    /// The status of the plugin's instance.
    private func status(_ scene: Scene) throws -> Value {
        let status = try JSONText.parse(try scene.call("ctl", "status", "--json").output)
        let instances = status["instances"]?.arrayValue ?? []
        return try #require(instances.first { $0["id"] == "fatal" })
    }

    /// How many actions the plugin has reduced.
    private func heard(_ scene: Scene) throws -> Int {
        let answer = try scene.call("ctl", "state", "/fatal/heard")
        return try #require(Int(answer.output.split(separator: "\n").joined()), "\(answer)")
    }

    @Test
    func `acknowledged actions stay visible in quarantine, and catching up gives what a healthy plugin has`()
        throws
    {
        let (scene, child) = try service()
        try send(Array(repeating: pass, count: 3_000), to: scene)
        #expect(try heard(scene) == 3_000)
        try crash(scene, child)
        // The input that ended the host comes again, and is missed.
        try send(Array(repeating: pass, count: 5), to: scene)
        let standing = try status(scene)
        let at = try #require(standing["standing"]?["at"]?.intValue)
        #expect(try heard(scene) == at)
        #expect(standing["standing"]?["missed"]?.intValue == 3_006 - at)
        let text = try scene.call("ctl", "status").output
        #expect(
            text.contains(
                "fatal stands at action \(StatusNumber.grouped(at)), \(StatusNumber.grouped(3_006 - at)) missed, is in quarantine: it has ended the host once within 10 min, the last time by SIGILL\n"
            ), "\(text)")
        let released = try scene.call("ctl", "release", "--catch-up", "fatal")
        #expect(released.exitCode == 0, "\(released)")
        #expect(
            released.output.contains(
                "warning: fatal: has gone over \(StatusNumber.grouped(3_006 - at)) actions that it missed in quarantine; what they would have led to did not happen\n"
            ), "\(released.output)")
        #expect(try heard(scene) == 3_006)
        // Another run would load it too.
        #expect(try scene.folder.read("data/host/crashes.json").contains(#""quarantined":[]"#))
        try send([pass], to: scene)
        #expect(try heard(scene) == 3_007)
        #expect(try scene.call("ctl", "stop").exitCode == 0)
        let outcome = try child.finish()
        #expect(outcome.exitCode == 0)
        // The host says so as well, not only to whoever asked for it.
        #expect(outcome.errors.contains("gatehouse: generation 2 runs, after "), "\(outcome.errors)")
    }

    @Test func `release goes on from where the slice stands, and says what it skips`() throws {
        let (scene, child) = try service()
        try send(Array(repeating: pass, count: 20), to: scene)
        try crash(scene, child)
        try send([pass, pass], to: scene)
        let at = try #require(try status(scene)["standing"]?["at"]?.intValue)
        #expect(
            try scene.call("ctl", "release", "fatal").output
                == "fatal is out of quarantine; the configuration is reloaded\nfatal resumes from action \(at) and skips \(23 - at) that it missed in quarantine\n"
        )
        try child.waitForErrors("generation 2")
        #expect(try heard(scene) == at)
        try send([pass], to: scene)
        #expect(try heard(scene) == at + 1)
        #expect(try scene.call("ctl", "stop").exitCode == 0)
        let outcome = try child.finish()
        #expect(
            outcome.errors.contains(
                "warning: fatal: resumes from action \(at) and skips \(23 - at) that it missed in quarantine\n"
            ))
    }

    @Test func `what traps while it catches up ends a child, and the quarantine goes on`() throws {
        let (scene, child) = try service()
        try send(Array(repeating: pass, count: 20), to: scene)
        try crash(scene, child)
        try send([act("reduce", "trap"), pass], to: scene)
        let before = try status(scene)["standing"]
        let released = try scene.call("ctl", "release", "--catch-up", "fatal")
        #expect(released.exitCode == 64, "\(released)")
        #expect(
            released.errors.contains(
                "catch-up: the child process that catches up died by SIGILL when fatal reduced action"
            ), "\(released.errors)")
        #expect(released.errors.contains("; the quarantine stays in force\n"))
        #expect(try status(scene)["standing"] == before)
        #expect(try scene.call("ctl", "stop").exitCode == 0)
        #expect(try child.finish().exitCode == 0)
    }

    @Test func `a release whose configuration is refused leaves the quarantine and what was missed`() throws {
        let (scene, child) = try service()
        try send(Array(repeating: pass, count: 20), to: scene)
        try crash(scene, child)
        try send([pass], to: scene)
        let before = try status(scene)
        let configuration = try String(decoding: FileSystem.read(scene.folder("plugins.json")), as: UTF8.self)
        try scene.folder.write(configuration.replacing("in.sock", with: "other.sock"), to: "plugins.json")
        let refused = try scene.call("ctl", "release", "--catch-up", "fatal")
        #expect(refused.exitCode == 78, "\(refused)")
        #expect(!refused.output.contains("out of quarantine"))
        let after = try status(scene)
        #expect(after["standing"] == before["standing"] && after["quarantine"] == before["quarantine"])
        try scene.folder.write(configuration, to: "plugins.json")
        #expect(try scene.call("ctl", "release", "--catch-up", "fatal").exitCode == 0)
        #expect(try heard(scene) == 22)
        #expect(try scene.call("ctl", "stop").exitCode == 0)
        #expect(try child.finish().exitCode == 0)
    }

    @Test func `a release names the effects that it gives up before those who have caught up`() throws {
        let text = { (dependencies: String) in
            """
            { "name": "guarded", "discovery": "ignore", "journal": {},
              "supervise": { "pause": 0, "crashes": 1, "deaths": 100 },
              "ingress": { "listen": ["unix:in.sock?ack"] }, "plugins": [{ "id": "fatal" },
                { "id": "ending", "lift": { "dependencies": [\(dependencies)] } }] }
            """
        }
        let scene = try Scene(text(""), libraries: ["FatalPlugin", "EndingPlugin"])
        let child = try scene.start(["--supervise", "--print", "none", "--grace", "0.2"])
        try child.waitForErrors("can be controlled at")
        try crash(scene, child)
        try send([#"{"type":"ending/stay"}"#], to: scene)
        try scene.folder.write(text(#""clock""#), to: "plugins.json")
        let released = try scene.call("ctl", "release", "--catch-up", "fatal")
        #expect(released.exitCode == 0, "\(released)")
        let warnings = released.output.split(separator: "\n").filter { $0.hasPrefix("warning: ") }
        #expect(warnings.map { $0.split(separator: " ")[1] } == ["ending:", "fatal:"], "\(released.output)")
        child.signal(SIGTERM)
        _ = try child.finish()
    }

    @Test func `what nobody else would have heard is a dead letter, which is dispatched again later`() throws
    {
        let (scene, child) = try service()
        try crash(scene, child)
        try send([pass], to: scene)
        let letters = try scene.call("ctl", "dead-letters", "--kind", "quarantined", "--json").output
        #expect(letters.contains(#""type": "fatal/pass""#), "\(letters)")
        #expect(letters.contains("only fatal, whose plugin fatal is in quarantine, would have heard it"))
        #expect(try status(scene)["heard"] == 0)
        #expect(try scene.call("ctl", "stop").exitCode == 0)
        #expect(try child.finish().exitCode == 0)
    }

    @Test func `a plugin that traps in start is started as often as the rules say, and never again`() throws {
        let (scene, child) = try service(
            #"{ "id": "counter" }, { "id": "fatal", "settings": { "start": "trap" } }"#, crashes: 3)
        try send([#"{"type":"counter/increment"}"#], to: scene)
        #expect(try status(scene)["standing"] != nil)
        let state = try JSONText.parse(try scene.call("ctl", "status", "--json").output)
        #expect(state["images"]?["mapped"] == 1)
        #expect(try scene.call("ctl", "stop").exitCode == 0)
        let outcome = try child.finish()
        #expect(outcome.exitCode == 0)
        #expect(outcome.errorLines.count { $0.hasSuffix("it is restarted") } == 3, "\(outcome.errors)")
    }

    @Test(arguments: ["trap", "spin"], [[], ["--supervise"]])
    func `a reducer that does not come through the past stands before it, and the others lose nothing`(
        deed: String, supervising: [String]
    ) throws {
        let scene = try Scene(
            """
            { "name": "guarded", "discovery": "ignore", "journal": {}, "supervise": { "hang": 3 },
              "ingress": { "listen": ["unix:in.sock?ack"] }, "plugins": [{ "id": "fatal" }, { "id": "counter" }] }
            """, libraries: ["FatalPlugin", "CounterPlugin"])
        let up = #"{"type":"counter/increment"}"#
        let first = try scene.start(supervising + ["--print", "none"])
        try first.waitForErrors("can be controlled at")
        try send([pass, up, pass, act("reduce", "armed-\(deed)"), up, pass], to: scene)
        #expect(try heard(scene) == 4)
        // What is only accepted is dispatched again, and not gone over.
        while try scene.call("history", "--last", "1", "--json").output.split(separator: "\n").last?
            .contains(#""sequence":6,"#) != true
        {}
        try scene.folder.write("", to: "armed")
        let second: ChildProcess
        if supervising.isEmpty {
            first.signal(SIGKILL)
            _ = try first.finish()
            second = try scene.start(["--print", "none"])
        } else {
            let status = try JSONText.parse(try scene.call("ctl", "status", "--json").output)
            kill(Int32(try #require(status["pid"]?.intValue)), SIGKILL)
            second = first
            try second.waitForErrors("it is restarted")
        }
        try second.waitForErrors {
            $0.split(separator: "it is restarted").last?.contains("can be controlled at") == true
        }
        #expect(try heard(scene) == 2)
        #expect(try scene.call("ctl", "state", "/counter/count").output == "2\n")
        #expect(try status(scene)["standing"] == ["at": 3, "missed": 2])
        FileSystem.remove(scene.folder("armed"))
        #expect(try scene.call("ctl", "release", "--catch-up", "fatal").exitCode == 0)
        #expect(try heard(scene) == 4)
        second.signal(SIGTERM)
        let outcome = try second.finish()
        #expect(outcome.exitCode == 0)
        #expect(
            outcome.errors.contains("at action 4, when the journal was replayed"), "\(outcome.errors)")
    }

    @Test func `without a journal nobody catches up`() throws {
        let scene = try Scene(
            """
            { "name": "guarded", "supervise": { "pause": 0, "crashes": 1, "deaths": 100 },
              "ingress": { "listen": ["unix:in.sock?ack"] }, "plugins": [{ "id": "fatal" }] }
            """, libraries: ["FatalPlugin"])
        let child = try scene.start(["--supervise", "--print", "none"])
        try child.waitForErrors("can be controlled at")
        try crash(scene, child)
        let released = try scene.call("ctl", "release", "--catch-up", "fatal")
        #expect(released.exitCode == 64)
        #expect(
            released.errors
                == "gatehouse: the host keeps no journal, so it is unknown what was missed; release it without --catch-up\n"
        )
        #expect(try scene.call("ctl", "stop").exitCode == 0)
        #expect(try child.finish().exitCode == 0)
    }
}

/// Numbers as the status has them.
private enum StatusNumber {
    /// A number with a comma before each three digits.
    static func grouped(_ number: Int) -> String {
        number < 1_000 ? "\(number)" : "\(number / 1_000),\(String("\(number % 1_000 + 1_000)".dropFirst()))"
    }
}
