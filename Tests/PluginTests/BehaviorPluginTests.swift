// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// The example of `BehaviorPlugin`.
@Suite struct BehaviorPluginTests {
    struct Doorbell: BehaviorPlugin {
        enum Action: PluginAction { case ring, rang(times: Int) }
        struct State: Codable, Sendable { var times = 0 }

        static func initialState(_ settings: Settings) -> State { State() }
        static func behavior(_ settings: Settings) -> Behavior<Action, State, Context> {
            .handle { action, state in
                guard case .ring = action else { return .doNothing }
                return .reduce { $0.times += 1 }.produce { state, _ in .just(.rang(times: state().times)) }
            }
        }
    }

    @Test func `an instance changes its state and answers what it has become`() throws {
        let harness = try PluginHarness(Doorbell.self)
        harness.send("ring")
        harness.send("ring")
        #expect(try harness.state == ["times": 2])
        #expect(
            try harness.actions.map { try $0.action.wireForm().json() } == [
                #"{"type":"ring"}"#, #"{"type":"rang","payload":{"times":1}}"#, #"{"type":"ring"}"#,
                #"{"type":"rang","payload":{"times":2}}"#,
            ])
    }

    @Test func `two instances do not know of each other`() throws {
        let (one, other) = (try PluginHarness(Doorbell.self), try PluginHarness(Doorbell.self))
        one.send("ring")
        other.send("rang", ["times": 9])
        #expect(other.actions.count == 1)
        #expect(try other.state == ["times": 0])
    }
}
