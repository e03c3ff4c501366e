// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

/// What a plugin declares and what it leaves to defaults must not change whether its functions are used.
@Suite(.timeLimit(.minutes(10))) struct PluginShapeTests {
    /// Nothing but actions and an effect.
    private struct EffectOnly: Plugin {
        enum Action: PluginAction { case ask(Int), answer(Int) }

        static func middleware() -> Reader {
            .onAction { action, _, _ in
                guard case .ask(let number) = action else { return .doNothing }
                return .just(.answer(number))
            }
        }
    }

    /// State and an effect, no settings; the types come last.
    private struct StateAndEffect: Plugin {
        static func middleware() -> Reader {
            .onAction { action, state, _ in
                guard case .ask = action else { return .doNothing }
                return .just(.answer(state().asked))
            }
        }

        static func initialState(_ settings: Settings) -> State { State(asked: 10) }

        static func reducer(_ settings: Settings) -> Reducer<Action, State> {
            .reduce { action, state in
                if case .ask(let number) = action { state.asked += number }
            }
        }

        struct State: Codable, Sendable { var asked: Int }

        enum Action: PluginAction { case ask(Int), answer(Int) }
    }

    /// Two middlewares and a reducer.
    private struct Several: Plugin {
        typealias Action = StateAndEffect.Action
        typealias State = StateAndEffect.State

        static func middleware() -> Reader { StateAndEffect.middleware() }
        static func middlewares() -> [Reader] {
            [StateAndEffect.middleware(), .onAction { _, _, _ in .doNothing }]
        }
        static func initialState(_ settings: Settings) -> State { State(asked: 0) }
        static func reducer(_ settings: Settings) -> Reducer<Action, State> {
            StateAndEffect.reducer(settings)
        }
    }

    @Test func `an effect without state or settings is run`() async throws {
        let store = try TestStore(EffectOnly.self)
        try store.send(.ask(5))
        try await store.receive(.answer(5))
        try await store.finish()
    }

    @Test func `an effect sees the state that the reducer left`() async throws {
        let store = try TestStore(StateAndEffect.self)
        try store.send(.ask(5)) { $0.asked = 15 }
        try await store.receive(.answer(15))
        try await store.finish()
    }

    @Test func `a payload that does not decode is reported once, whoever decodes it`() throws {
        func problems<P: Plugin>(_ plugin: P.Type) throws -> [String] {
            let store = try TestStore(plugin)
            try store.send(wire: ["type": "ask", "payload": "five"])
            return store.takeProblems()
        }
        let message = "ask: the whole value: expected an integer, found a string"
        #expect(try problems(EffectOnly.self) == [message])
        #expect(try problems(StateAndEffect.self) == [message])
        #expect(try problems(Several.self) == [message])
    }
}
