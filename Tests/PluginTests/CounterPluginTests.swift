// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

@testable import CounterPlugin

@Suite(.timeLimit(.minutes(10))) struct CounterPluginTests {
    @Test func `it counts up, down and back to the start`() async throws {
        let store = try TestStore(Counter.self)
        try store.send(.increment(by: 5)) { $0.count = 5 }
        try store.send(.decrement(by: 2)) { $0.count = 3 }
        try store.send(.reset) { $0.count = 0 }
        try await store.finish()
    }

    @Test(
        arguments: [
            nil, [:], ["by": nil], ["ref": "refs/heads/main", "commits": [["id": "a1"], ["id": "b2"]]],
        ] as [Value?])
    func `a payload without by counts the step`(payload: Value?) async throws {
        func action(_ type: Value) -> Value {
            .object(Members([("type", type)] + (payload.map { [("payload", $0)] } ?? [])))
        }
        let store = try TestStore(Counter.self, settings: ["start": 10, "step": 3])
        try store.send(wire: action("increment")) { $0.count = 13 }
        try store.send(wire: action("decrement")) { $0.count = 10 }
        try store.send(wire: action("decrement")) { $0.count = 7 }
        try await store.finish()
    }

    @Test(
        arguments: [
            (Int.max - 1, .increment(by: 5), Int.max), (Int.max, .increment(by: Int.max), Int.max),
            (Int.min + 1, .decrement(by: 5), Int.min), (0, .decrement(by: Int.min), Int.max),
            (-1, .decrement(by: Int.min), Int.max),
            (-2, .increment(by: Int.min), Int.min), (Int.min, .increment(by: Int.min), Int.min),
            (5, .increment(by: -7), -2),
        ] as [(Int, Counter.Action, Int)])
    func `the count stays at its limits`(start: Int, action: Counter.Action, expected: Int) async throws {
        let store = try TestStore(Counter.self, settings: ["start": Value(start)])
        try store.send(action) { $0.count = expected }
        try await store.finish()
    }

    @Test(
        arguments: [
            (["by": "many"], "/by: expected an integer, found a string"),
            (["by": 1.5], "/by: expected an integer, found 1.5"),
            ("five", "the whole value: expected an object, found a string"),
        ] as [(Value, String)])
    func `a by that is no whole number is reported and not counted`(
        payload: Value, problem: String
    ) async throws {
        let store = try TestStore(Counter.self)
        try store.send(wire: ["type": "increment", "payload": payload])
        #expect(store.takeProblems() == ["increment: \(problem)"])
        try await store.finish()
    }

    @Test func `a count that stays is no change`() async throws {
        let store = try TestStore(Counter.self)
        try store.send(.reset)
        try store.send(.increment(by: 0))
        #expect(store.stateChanges == 0)
        try store.send(.increment(by: nil)) { $0.count = 1 }
        #expect(store.stateChanges == 1)
        try await store.finish()
    }

    @Test func `settings of the wrong kind are refused with their place`() {
        #expect(
            throws: CodingFailure(
                pointer: JSONPointer(tokens: ["step"]), expected: "an integer", found: "a string")
        ) {
            try TestStore(Counter.self, settings: ["step": "two"])
        }
    }

    @Test func `the manifest says what the plugin does`() throws {
        try Counter.checkManifest(at: "Plugins/Counter/plugin.json")
    }
}
