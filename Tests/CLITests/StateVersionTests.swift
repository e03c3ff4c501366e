// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What a plugin says about the form of its state, and what it makes of an older one.
@Suite struct StateVersionTests {
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
}
