// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What a plugin says about the form of its state.
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
}
