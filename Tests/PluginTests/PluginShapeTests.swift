// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// What a plugin declares and what it leaves to defaults must not change whether its functions are used.
@Suite struct PluginShapeTests {
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

        static func middlewares() -> [Reader] {
            [StateAndEffect.middleware(), .onAction { _, _, _ in .doNothing }]
        }
        static func initialState(_ settings: Settings) -> State { State(asked: 0) }
        static func reducer(_ settings: Settings) -> Reducer<Action, State> {
            StateAndEffect.reducer(settings)
        }
    }

    @Test func `an effect without state or settings is run`() throws {
        let harness = try PluginHarness(EffectOnly.self)
        harness.send("ask", 5)
        #expect(
            try harness.actions.map { try $0.action.wireForm() }.last == ["type": "answer", "payload": 5])
        #expect(try harness.state == nil)
    }

    @Test func `an effect sees the state that the reducer left`() throws {
        let harness = try PluginHarness(StateAndEffect.self)
        harness.send("ask", 5)
        #expect(
            try harness.actions.map { try $0.action.wireForm() }.last == ["type": "answer", "payload": 15])
        #expect(try harness.state == ["asked": 15])
    }

    @Test func `a payload that does not decode is reported once, whoever decodes it`() throws {
        let message = "ask: the whole value: expected an integer, found a string"
        let failures = [
            try PluginHarness(EffectOnly.self), try PluginHarness(StateAndEffect.self),
            try PluginHarness(Several.self),
        ].map { harness in
            harness.send("ask", "five")
            return harness.failures
        }
        #expect(failures == [[message], [message], [message]])
    }
}
