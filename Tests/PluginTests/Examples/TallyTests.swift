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
}
