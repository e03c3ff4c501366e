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

    @Test(arguments: ["host", "worker"])
    func `below an instance with rules is what each of them took`(placement: String) throws {
        let host = try ControlledHost(
            in: Scene(
                """
                { "name": "shop", "discovery": "ignore", "plugins": [
                  { "id": "rules", "library": "libRulesPlugin.so", "placement": "\(placement)", "settings": { "rules": [
                    { "when": "shop/sale", "emit": "sold" }, { "when": "never", "emit": "seldom" } ] } } ] }
                """, libraries: ["RulesPlugin"]))
        _ = try host.ctl("costs")
        let lines = String(repeating: #"{"type":"shop/sale"}"# + "\n", count: 400)
        _ = try host.ctl("dispatch", "-", input: lines)
        // A worker tells what its rules took with its next checkpoint.
        while try !host.ctl("costs", "5").output.contains("/rules/1") {}
        let shown = try host.ctl("costs", "5").output.split(separator: "\n")
        #expect(shown[2].hasPrefix("rules "))
        #expect(Set(shown[3...4].map { $0.prefix(10) }) == ["  /rules/0", "  /rules/1"])
        let costs = try JSONText.parse(Array(try host.ctl("costs", "5", "--json").output.utf8))
        let rules = try #require(costs["instances"]?[0]?["rules"])
        let handle = try #require(costs["instances"]?[0]?["handle"]?.intValue)
        #expect((rules["/rules/0"]?.intValue ?? .max) + (rules["/rules/1"]?.intValue ?? .max) <= handle)
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
