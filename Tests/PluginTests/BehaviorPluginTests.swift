// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

/// The example of `BehaviorPlugin`.
@Suite(.timeLimit(.minutes(10))) struct BehaviorPluginTests {
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

    @Test func `an instance changes its state and answers what it has become`() async throws {
        let store = try TestStore(Doorbell.self)
        for times in 1...2 {
            try store.send(.ring) { $0.times = times }
            try await store.receive(.rang(times: times))
        }
        try await store.finish()
        #expect(
            store.transcript == """
                {"sent":{"type":"ring"}}
                {"emitted":{"type":"rang","payload":{"times":1}}}
                {"sent":{"type":"ring"}}
                {"emitted":{"type":"rang","payload":{"times":2}}}

                """)
    }

    @Test func `two instances do not know of each other`() async throws {
        let (one, other) = (try TestStore(Doorbell.self), try TestStore(Doorbell.self))
        try one.send(.ring) { $0.times = 1 }
        try await one.receive(.rang(times: 1))
        try await one.finish()
        try other.send(.rang(times: 9))
        try await other.finish()
    }
}
