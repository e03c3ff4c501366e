// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// The example of `MigratingPlugin`.
@Suite struct TallyTests {
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

    @Test func `what the first version kept goes on in the second`() throws {
        let exports = PluginEntry.exports(of: Tally.self)
        let slice = try exports.makeParts(settings: [:]) { _ in }.slice
        try slice.restore(exports.migrate(["total": 40], from: 1))
        #expect(try slice.value() == ["sum": 40])
    }
}
