// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

/// The example of `MigratingPlugin`.
@Suite(.timeLimit(.minutes(10))) struct TallyTests {
    struct Tally: MigratingPlugin {
        enum Action: PluginAction { case add(Int) }
        /// Version 1 had a member `total` in place of `sum`.
        struct State: Codable, Sendable { var sum = 0 }

        static var stateVersion: Int { 2 }

        static func migrate(_ state: Value, from version: Int) throws -> Value {
            ["sum": state["total"] ?? 0]
        }

        static func initialState(_ settings: Settings) -> State { State() }
        static func reducer(_ settings: Settings) -> Reducer<Action, State> {
            .reduce { action, state in
                if case .add(let number) = action { state.sum += number }
            }
        }
        static func middleware() -> Reader { .doNothing() }
    }

    @Test func `what the first version kept goes on in the second`() async throws {
        let store = try TestStore(Tally.self, restoring: ["total": 40], ofVersion: 1)
        #expect(store.state.sum == 40)
        try store.send(.add(2)) { $0.sum = 42 }
        try await store.finish()
    }

    @Test(arguments: [(1, ["total": 40]), (2, ["sum": 40])] as [(Int, Value)])
    func `each form of the state that was ever released is read`(version: Int, state: Value) throws {
        #expect(try TestStore(Tally.self, restoring: state, ofVersion: version).state.sum == 40)
    }

    struct TypedTally: MigratingPlugin {
        enum Action: PluginAction { case add(Int) }
        struct State: Codable, Sendable { var sum = 0, days = 0 }

        static var stateVersion: Int { 2 }

        /// The state of version 1, as its library declared it.
        private struct Old: Decodable { var totals: [Int] }

        static func migrate(_ state: Value, from version: Int) throws -> Value {
            let old = try state.decode(Old.self)
            return try Value(encoding: State(sum: old.totals.reduce(0, &+), days: old.totals.count))
        }

        static func initialState(_ settings: Settings) -> State { State() }
        static func reducer(_ settings: Settings) -> Reducer<Action, State> { .identity }
        static func middleware() -> Reader { .doNothing() }
    }

    @Test func `an old form that has a type of its own is decoded`() throws {
        let state = try TestStore(TypedTally.self, restoring: ["totals": [40, 2]], ofVersion: 1).state
        #expect(state.sum == 42 && state.days == 2)
        #expect(throws: (any Error).self) {
            try TestStore(TypedTally.self, restoring: ["totals": "none"], ofVersion: 1)
        }
    }
}
