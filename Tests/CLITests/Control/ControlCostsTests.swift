// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

@Suite("gatehouse ctl costs", .timeLimit(.minutes(10)))
struct ControlCostsTests {
    @Test func `people see how the time is shared, the costliest first`() throws {
        let host = try ControlledHost()
        _ = try host.ctl("costs")
        // One of 64 actions is timed, and at least one of 127.
        let lines = String(repeating: #"{"type":"eu/increment"}"# + "\n", count: 400)
        _ = try host.ctl("dispatch", "-", input: lines)
        let shown = try host.ctl("costs", "5").output.split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(shown[0].hasPrefix("the last ") && shown[0].hasSuffix("as shares of the time of all actions"))
        #expect(shown[2].split(separator: " ") == ["INSTANCE", "TIME", "HANDLE", "REDUCE", "IO"])
        #expect(shown[3].hasPrefix("eu "))
        #expect(shown[3].contains("100.0%"))
    }

    @Test func `programs see the time of each stage`() throws {
        let host = try ControlledHost()
        let before = try JSONText.parse(Array(try host.ctl("costs", "--json").output.utf8))
        #expect(before["instances"] == [])
        #expect(before["seconds"]?.doubleValue ?? -1 >= 0)
    }

    @Test(arguments: ["0", "61", "five"])
    func `only minutes of the last hour can be asked for`(word: String) throws {
        let outcome = try ControlledHost().ctl("costs", word)
        #expect(
            outcome.errors
                == "gatehouse: ctl costs: expected a number of minutes from 1 to 60, found \"\(word)\"\n"
        )
        #expect(outcome.exitCode == 64)
    }
}
