// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

/// The example of `TimedPlugin`.
@Suite final class TimedPluginTests: Sendable {
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

    @Test func `the reducer is told when the action came`() throws {
        let harness = try PluginHarness(LastSeen.self, granted: ["clock"])
        harness.send("seen", "ann")
        #expect(try harness.state == ["times": ["ann": 1_000.5]])
    }

    @Test func `without a clock there is no time`() throws {
        let harness = try PluginHarness(LastSeen.self)
        harness.send("seen", "ann")
        #expect(try harness.state == ["times": [:]])
    }
}
