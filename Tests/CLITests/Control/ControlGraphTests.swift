// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

@Suite("gatehouse ctl graph", .timeLimit(.minutes(10)))
struct ControlGraphTests {
    @Test func `people see each type with whom it comes from and who hears it`() throws {
        let outcome = try ControlledHost().ctl("graph")
        #expect(
            outcome.output == """
                TYPE          FROM     TO
                eu/decrement  outside  eu
                eu/increment  outside  eu
                eu/reset      outside  eu
                us/decrement  outside  us
                us/increment  outside  us
                us/reset      outside  us

                """)
        #expect(outcome.exitCode == 0)
    }

    @Test func `programs see what each instance hears and emits, and the generation`() throws {
        let outcome = try ControlledHost().ctl("graph", "--json")
        let graph = try JSONText.parse(Array(outcome.output.utf8))
        #expect(graph["generation"] == 1)
        #expect(
            graph["instances"]?[0] == [
                "id": "eu", "plugin": "counter", "hears": ["eu/increment", "eu/decrement", "eu/reset"],
                "emits": [],
            ])
        #expect(graph["types"]?[0] == ["type": "eu/decrement", "from": [], "to": ["eu"], "moves": []])
    }
}
