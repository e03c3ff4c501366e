// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// What a plugin says about the form of its state, and what it makes of an older one.
@Suite(.timeLimit(.minutes(10))) struct StateVersionTests {
    @Test func `a version of the state that is none is refused, with 69`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "migrant" }] }"#, libraries: ["MigrantTwoPlugin"])
        let outcome = try ChildProcess.run(
            arguments: ["run"], in: scene.folder.path,
            environment: scene.environment.merging(["MIGRANT_VERSION": "0"]) { $1 })
        #expect(
            outcome.errors
                == "./plugins/libMigrantTwoPlugin.so: refused for the instance migrant: its stateVersion: expected 1 or more, found 0; begin with 1\n"
        )
        #expect(outcome.exitCode == 69)
    }

    @Test func `a migration that traps on a kept state ends the rehearsal of a start, not the host`() throws {
        func configuration(_ entry: String) -> String {
            #"{ "discovery": "ignore", "journal": {}, "plugins": [\#(entry)] }"#
        }
        let scene = try Scene(
            configuration(#"{ "id": "migrant", "library": "libMigrantOnePlugin.so" }"#),
            libraries: ["MigrantOnePlugin", "MigrantTwoPlugin", "CounterPlugin"])
        let plan = #"{"type":"migrant/plan","payload":{"deed":"trap"}}"# + "\n"
        #expect(try scene.run(input: plan).exitCode == 0)
        try scene.folder.write(configuration(#"{ "id": "counter" }"#), to: "plugins.json")
        #expect(try scene.run(input: "").exitCode == 0)
        let two = #"{ "id": "migrant", "library": "libMigrantTwoPlugin.so" }"#
        try scene.folder.write(configuration(two), to: "plugins.json")
        let outcome = try scene.run(input: "")
        #expect(outcome.exitCode == 69)
        #expect(
            outcome.errors.hasPrefix(
                "./plugins/libMigrantTwoPlugin.so: refused for the instance migrant: in a rehearsal it died by SIGILL while the state of the instance migrant was taken over; correct the plugin\n"
            ), "\(outcome.errors)")
    }

    @Test(arguments: [#""stateFile": "state.json""#, #""journal": {}"#])
    func
        `a state that its library does not take follows its instance to another place, over any number of starts`(
            keeping: String
        ) throws
    {
        func configuration(_ entry: String) -> String {
            #"{ "discovery": "ignore", \#(keeping), "plugins": [\#(entry), { "id": "counter" }] }"#
        }
        let libraries = ["MigrantOnePlugin", "MigrantTwoPlugin", "CounterPlugin"]
        let two = #"{ "id": "migrant", "library": "libMigrantTwoPlugin.so", "lift": { "state": "/a" } }"#
        let scene = try Scene(configuration(two), libraries: libraries)
        #expect(try scene.run(input: #"{"type":"migrant/add","payload":3}"# + "\n").exitCode == 0)
        let one =
            #"{ "id": "migrant", "library": "libMigrantOnePlugin.so", "optional": true, "lift": { "state": "/b/c" } }"#
        try scene.folder.write(configuration(one), to: "plugins.json")
        for _ in 0..<3 {
            let outcome = try scene.run(["--print", "state"], input: "")
            #expect(outcome.exitCode == 0)
            #expect(
                outcome.errors.hasPrefix(
                    "gatehouse: warning: ./plugins/libMigrantOnePlugin.so: refused for the instance migrant: its state of version 2 cannot be taken over: expected state of version at most 1, found version 2; "
                ), "\(outcome.errors)")
            #expect(try JSONText.parse(outcome.output) == ["a": ["sum": 3], "counter": ["count": 0]])
        }
        let back = two.replacing("/a", with: "/b/c")
        try scene.folder.write(configuration(back), to: "plugins.json")
        for _ in 0..<2 {
            let outcome = try scene.run(["--print", "state"], input: "")
            #expect(try JSONText.parse(outcome.output) == ["b": ["c": ["sum": 3]], "counter": ["count": 0]])
            #expect(outcome.exitCode == 0)
        }
    }
}
