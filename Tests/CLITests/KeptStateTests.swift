// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What notes say about state, and what follows for slices, on the built program.
@Suite(.timeLimit(.minutes(10))) struct KeptStateTests {
    /// Puts a library into the plugin folder whose note does not tell whether the plugin keeps state, as those of older SDKs.
    private func addOldLibrary(_ target: String, to scene: Scene) throws {
        var bytes = try FileSystem.read(BuiltProducts.library(target))
        let word = Array(#","keepsState":"#.utf8)
        let start = try #require(bytes.indices.first { bytes[$0...].starts(with: word) })
        let end = try #require(bytes[start...].firstIndex(of: UInt8(ascii: "}")))
        for index in start..<end { bytes[index] = UInt8(ascii: " ") }
        try scene.folder.write(bytes, to: "plugins/lib\(target).so")
    }

    @Test(arguments: ["check", "list", "plan", "run"])
    func `two plugins that keep state in one place end with 78 before any code runs`(command: String) throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "counter", "lift": { "state": "/probe/x" } }, { "id": "probe" }] }"#,
            libraries: ["CounterPlugin", "ProbePlugin"])
        let outcome = try scene.traced(command)
        #expect(
            outcome.errors.contains(
                "\nplugins.json:1:69: /plugins/1/lift/state: the slice /probe overlaps the slice /probe/x of counter; give one of them another \"lift\"/\"state\"\n"
            ))
        #expect(!outcome.errors.contains("calling init: /proc/self/fd/"))
        #expect(outcome.exitCode == 78)
    }

    @Test func `a plain value on the way to a slice ends with 78`() throws {
        let scene = try Scene(
            #"{ "state": { "a": 1 }, "plugins": [{ "id": "counter", "lift": { "state": "/a/b" } }] }"#,
            libraries: ["CounterPlugin"])
        let outcome = try scene.call("check")
        #expect(
            outcome.errors
                == "plugins.json:1:74: /plugins/0/lift/state: \"state\" has a plain value on the way to /a/b, where counter keeps its slice; remove one of them\n"
        )
        #expect(outcome.exitCode == 78)
        #expect(try scene.run().errors == outcome.errors)
    }

    @Test func `a dropped-in library whose slice is taken is listed as refused`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "counter", "lift": { "state": "/probe" } }] }"#,
            libraries: ["CounterPlugin", "ProbePlugin"])
        let outcome = try scene.call("list")
        #expect(
            outcome.output.hasSuffix(
                """

                probe: refused
                  library ./plugins/libProbePlugin.so
                  because the slice /probe overlaps the slice /probe of counter; give one of them another "lift"/"state"

                """))
        #expect(outcome.exitCode == 0)
    }

    @Test func `a plugin that keeps no state owns no slice, and stands in nobody's way`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "logger" }, { "id": "counter", "lift": { "state": "/logger" } }] }"#,
            libraries: ["LoggerPlugin", "CounterPlugin"])
        #expect(
            try scene.call("check").errors
                == "gatehouse: plugins.json: OK (2 instances, 2 libraries)\ngatehouse: a run ends when its input does\n"
        )
        let output = try scene.call("list").output
        #expect(output.contains("\n  slice   nothing\n"))
        #expect(output.contains("\n  slice   /logger\n"))
        let json = try scene.call("list", "--json").output
        #expect(json.contains("\"slice\": null,\n      \"keepsState\": false"))
    }

    @Test func `a place for the state of a plugin that keeps none is warned of`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "logger", "lift": { "state": "/log" } }] }"#, libraries: ["LoggerPlugin"])
        let outcome = try scene.call("check")
        #expect(
            outcome.errorLines == [
                "plugins.json:1:52: warning: /plugins/0/lift/state: the plugin logger keeps no state; remove it",
                "gatehouse: plugins.json: OK (1 instance, 1 library, 1 warning)",
                "gatehouse: a run ends when its input does",
            ])
        #expect(outcome.exitCode == 0)
    }

    @Test func `where a note does not tell, an overlap is a doubt, and the start settles it`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "counter", "lift": { "state": "/probe" } }, { "id": "probe" }] }"#,
            libraries: ["ProbePlugin"])
        try addOldLibrary("CounterPlugin", to: scene)
        let check = try scene.call("check")
        #expect(
            check.errorLines == [
                "gatehouse: warning: the slice /probe of probe overlaps the slice /probe of counter; if both plugins keep state, give one of them another \"lift\"/\"state\"",
                "gatehouse: plugins.json: OK (2 instances, 2 libraries, 1 warning)",
                "gatehouse: a run ends when its input does",
            ])
        #expect(check.exitCode == 0)
        #expect(try scene.call("list").output.contains("\n  slice   /probe, if it keeps state\n"))
        let run = try scene.run()
        #expect(
            run.errors
                == "plugins.json:1:67: /plugins/1/lift/state: the slice /probe overlaps the slice /probe of counter; give one of them another \"lift\"/\"state\"\n"
        )
        #expect(run.exitCode == 78)
    }

    @Test func `where a note does not tell, a place for no state is warned of by the start`() throws {
        let scene = try Scene(#"{ "plugins": [{ "id": "logger", "lift": { "state": "/log" } }] }"#)
        try addOldLibrary("LoggerPlugin", to: scene)
        #expect(
            try scene.call("check").errors
                == "gatehouse: plugins.json: OK (1 instance, 1 library)\ngatehouse: a run ends when its input does\n"
        )
        #expect(
            try scene.run().errorLines == [
                "plugins.json:1:52: warning: /plugins/0/lift/state: the plugin logger keeps no state; remove it",
                "gatehouse: 0 lines, 0 actions, 0 rejected",
            ])
    }
}
