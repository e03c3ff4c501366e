// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

/// The example of `TimedPlugin`.
@Suite(.timeLimit(.minutes(10))) struct TimedPluginTests {
    struct LastSeen: TimedPlugin {
        enum Action: PluginAction { case seen(String) }
        struct State: Codable, Sendable { var times: [String: Double] = [:] }

        static func initialState(_ settings: Settings) -> State { State() }
        static func reducer(_ settings: Settings, now: ActionTime) -> Reducer<Action, State> {
            .reduce { action, state in
                if case .seen(let name) = action { state.times[name] = now() }
            }
        }
        static func middleware() -> Reader { .doNothing() }
    }

    @Test func `the reducer is told when the action came`() async throws {
        let store = try TestStore(LastSeen.self, services: TestServices(unixTime: 1_000.5))
        try store.send(.seen("ann")) { $0.times = ["ann": 1_000.5] }
        store.advance(by: .seconds(2))
        try store.send(.seen("bob")) { $0.times["bob"] = 1_002.5 }
        try await store.finish()
    }

    @Test func `without a clock there is no time`() async throws {
        let store = try TestStore(LastSeen.self, clock: nil)
        try store.send(.seen("ann"))
        try await store.finish()
    }
}
