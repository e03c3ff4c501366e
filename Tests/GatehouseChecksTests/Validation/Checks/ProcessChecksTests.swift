// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseChecks

/// What a plugin goes through before a check looks at the process.
@Suite(.timeLimit(.minutes(10))) struct ProcessChecksTests {
    @Test func `it is used from its start to its end, with actions, gates and state`() throws {
        let observed = try ObservedSubject(
            "DefectivePlugin", examples: [ExampleAction("note", payload: 1)])
        #expect(try observed.perform("process/locale") == .pass)
        #expect(
            try observed.steps.dropFirst(2) == [
                "while its parts were made with the settings {}", "when it was started",
                "when it heard note with 1", "when its gate closed", "when its gate opened",
                "while its state was written", "while it was stopped", "while it was stopped",
                "when it was released",
            ])
    }
}
