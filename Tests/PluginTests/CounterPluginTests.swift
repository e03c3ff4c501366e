// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import CounterPlugin

@Suite struct CounterPluginTests {
    @Test func `it counts up, down and back to the start`() throws {
        let harness = try PluginHarness(Counter.self)
        harness.send("increment", ["by": 5])
        #expect(try harness.state == ["count": 5])
        harness.send("decrement", ["by": 2])
        #expect(try harness.state == ["count": 3])
        harness.send("reset")
        #expect(try harness.state == ["count": 0])
    }

    @Test(
        arguments: [
            nil, [:], ["by": nil], ["ref": "refs/heads/main", "commits": [["id": "a1"], ["id": "b2"]]],
        ] as [Value?])
    func `a payload without by counts the step`(payload: Value?) throws {
        let harness = try PluginHarness(Counter.self, settings: ["start": 10, "step": 3])
        harness.send("increment", payload)
        #expect(try harness.state == ["count": 13])
        harness.send("decrement", payload)
        harness.send("decrement", payload)
        #expect(try harness.state == ["count": 7])
        #expect(harness.failures == [])
    }

    @Test(
        arguments: [
            (Int.max - 1, "increment", 5, Int.max), (Int.max, "increment", Int.max, Int.max),
            (Int.min + 1, "decrement", 5, Int.min), (0, "decrement", Int.min, Int.max),
            (-1, "decrement", Int.min, Int.max),
            (-2, "increment", Int.min, Int.min), (Int.min, "increment", Int.min, Int.min),
            (5, "increment", -7, -2),
        ] as [(Int, String, Int, Int)])
    func `the count stays at its limits`(start: Int, type: String, by: Int, expected: Int) throws {
        let harness = try PluginHarness(Counter.self, settings: ["start": Value(start)])
        harness.send(ActionType(type), ["by": Value(by)])
        #expect(try harness.state == ["count": Value(expected)])
    }

    @Test(
        arguments: [
            (["by": "many"], "/by: expected an integer, found a string"),
            (["by": 1.5], "/by: expected an integer, found 1.5"),
            ("five", "the whole value: expected an object, found a string"),
        ] as [(Value, String)])
    func `a by that is no whole number is reported and not counted`(payload: Value, failure: String) throws {
        let harness = try PluginHarness(Counter.self)
        harness.send("increment", payload)
        #expect(harness.failures == ["increment: \(failure)"])
        #expect(try harness.state == ["count": 0])
    }

    @Test func `a count that stays is no change`() throws {
        let harness = try PluginHarness(Counter.self)
        harness.send("reset")
        harness.send("increment", ["by": 0])
        #expect(harness.version == 0)
        harness.send("increment")
        #expect(harness.version == 1)
    }

    @Test func `settings of the wrong kind are refused with their place`() {
        #expect(
            throws: CodingFailure(
                pointer: JSONPointer(tokens: ["step"]), expected: "an integer", found: "a string")
        ) {
            try PluginHarness(Counter.self, settings: ["step": "two"])
        }
    }

    @Test func `the manifest names cases of the enum`() {
        let exports = PluginEntry.exports(of: Counter.self)
        #expect(exports.unknownNames(in: ["increment", "decrement", "reset"]) == [])
        #expect(exports.unknownNames(in: ["reset", "clear"]) == ["clear"])
    }
}
