// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

/// A foreign plugin as an operator meets it: described, refused, replaced while the host runs.
@Suite(.timeLimit(.minutes(10))) struct ForeignPluginTests {
    @Test func `inspect says which contract binds it, and compares nothing with the SDK`() throws {
        let outcome = try ChildProcess.run(
            arguments: ["inspect", "libForeignMigrant.so"], in: BuiltProducts.folder)
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(
            Array(lines[4...15]) == [
                "  plugin       foreign-probe 2.0.0",
                "  summary      Does what it is asked, with another form of its state",
                "  consumes     count",
                "  emits        told",
                "  settings     no schema",
                "  permissions  intercept",
                "  worker       no, it decides about actions before anybody else hears them, and they cannot wait for another process",
                "  scope        partition",
                "  entry        gatehouse_foreign_v1",
                "  contract     foreign 1",
                "",
                "needed libraries",
            ])
        #expect(outcome.output.hasSuffix("\nverdict: accepted\n"))
        #expect(outcome.exitCode == 0)
    }

    @Test func `programs see the number of its contract, and no identity`() throws {
        let outcome = try ChildProcess.run(
            arguments: ["inspect", "--json", "libForeignMigrant.so"], in: BuiltProducts.folder)
        #expect(
            outcome.output.contains(
                #""note":{"format":1,"foreign":1,"entry":"gatehouse_foreign_v1","manifest":{"id":"foreign-probe","version":"2.0.0","#
            ))
        #expect(outcome.output.contains(#""identity":[],"entryExported":true"#))
    }

    @Test func `a new version takes over the state in its own form, and an older one is refused`() throws {
        let live = try LiveHost(
            #"{ "plugins": [{ "id": "foreign-probe", "allow": ["foreign-probe/*"] }] }"#,
            libraries: ["ForeignProbe"])
        live.send("foreign-probe/count", "foreign-probe/count")
        try live.replace("ForeignProbe", by: "ForeignMigrant")
        try live.reload(expecting: "generation 2 runs")
        live.send("foreign-probe/count")
        try live.replace("ForeignMigrant", by: "ForeignProbe")
        try live.reload(expecting: "runs on")
        live.send("foreign-probe/count")
        try live.settle()
        try live.replace("ForeignProbe", by: "ForeignMigrant")
        try live.reload(expecting: "nothing has changed")
        let end = try live.finish()
        #expect(end.state == #"{"foreign-probe":{"sum":4}}"#)
        #expect(
            end.errors.prefix(3).filter { $0 != "foreign-probe: is being made" } == [
                "gatehouse: generation 2 runs, after N ms: replace foreign-probe: version 1.0.0 by 2.0.0"
            ])
        #expect(
            end.errors.contains(
                "./plugins/libForeignProbe.so: refused for the instance foreign-probe: its state of version 2 cannot be taken over: expected state of version at most 1, found version 2; install a library that knows this version, or remove the state"
            ))
        #expect(end.exitCode == 0)
    }

    @Test func `work that would wait until it is kept is counted and not done where effects are stubbed`()
        throws
    {
        let scene = try Scene(#"{ "plugins": [{ "id": "foreign-probe" }] }"#, libraries: ["ForeignProbe"])
        try scene.folder.write(
            """
            { "cases": [{ "name": "kept", "effects": "stubbed", "send": { "type": "foreign-probe/keep", "payload": 1 },
              "expect": [{ "type": "foreign-probe/told", "payload": "started" }], "state": { "/foreign-probe/count": 1 } }] }
            """, to: "plugins.test.json")
        let outcome = try scene.call("test", "plugins.test.json")
        #expect(outcome.output == "pass  kept (1 effect not run)\n", "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
    }

    @Test func `other settings keep the state`() throws {
        let live = try LiveHost(
            #"{ "plugins": [{ "id": "foreign-probe" }] }"#, libraries: ["ForeignProbe"])
        live.send("foreign-probe/count")
        try live.reload(
            #"{ "plugins": [{ "id": "foreign-probe", "settings": { "other": 1 } }] }"#,
            expecting: "generation 2 runs")
        live.send("foreign-probe/count")
        let end = try live.finish()
        #expect(end.state == #"{"foreign-probe":{"count":2}}"#)
        #expect(end.exitCode == 0)
    }

    @Test func `settings that it refuses leave the running generation as it is`() throws {
        let live = try LiveHost(
            #"{ "plugins": [{ "id": "foreign-probe" }] }"#, libraries: ["ForeignProbe"])
        live.send("foreign-probe/count")
        try live.reload(
            #"{ "plugins": [{ "id": "foreign-probe", "settings": { "refuse": "" } }] }"#,
            expecting: "runs on")
        live.send("foreign-probe/count")
        let end = try live.finish()
        #expect(end.state == #"{"foreign-probe":{"count":2}}"#)
        #expect(
            end.errors.contains(
                "plugins.json:1:64: /plugins/0/settings/refuse: expected what the plugin can use, found what it refuses: nothing pleases it"
            ))
    }

    @Test func `a state from an earlier run is taken up`() throws {
        let scene = try Scene(
            #"{ "stateFile": "state.json", "plugins": [{ "id": "foreign-probe" }] }"#,
            libraries: ["ForeignProbe"])
        let line = #"{"type":"foreign-probe/count"}"#
        for count in 1...2 {
            let outcome = try scene.run(input: line)
            #expect(outcome.output.filter { !$0.isWhitespace } == #"{"foreign-probe":{"count":\#(count)}}"#)
            #expect(outcome.exitCode == 0)
        }
    }
}
