// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

/// A plugin whose effects follow its state; the example of the documents.
@Suite(.timeLimit(.minutes(10))) struct SupervisingPluginTests {
    private struct Watcher: Plugin {
        enum Action: PluginAction { case watch(Bool), look }
        struct State: Codable, Sendable {
            var isWatching = false
            var pause = 5
            var looks = 0
        }

        static func initialState(_ settings: NoSettings) -> State { State() }

        static func reducer(_ settings: NoSettings) -> Reducer<Action, State> {
            .reduce { action, state in
                switch action {
                case .watch(let isOn): state.isWatching = isOn
                case .look: state.looks += 1
                }
            }
        }

        static func middleware() -> Reader {
            .supervise { state, context in
                guard state.isWatching, let clock = context.clock else { return .doNothing }
                return .timer(every: .milliseconds(state.pause), clock: clock.clock) { .look }
            }
        }
    }

    @Test func `a timer runs while the state wants it`() async throws {
        let store = try TestStore(Watcher.self)
        try store.send(.watch(true)) { $0.isWatching = true }
        store.advance(by: .milliseconds(15))
        for looks in 1...3 { try await store.receive(.look) { $0.looks = looks } }
        try store.send(.watch(false)) { $0.isWatching = false }
        #expect(store.runningEffects == 0)
        store.advance(by: .seconds(1))
        try await store.finish()
    }

    @Test func `without a clock it does nothing`() async throws {
        let store = try TestStore(Watcher.self, clock: nil)
        try store.send(.watch(true)) { $0.isWatching = true }
        try await store.finish()
    }
}
