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

    /// Two middlewares joined to one.
    private struct Joined: Plugin {
        typealias Action = StateAndEffect.Action
        typealias State = StateAndEffect.State

        static func middleware() -> Reader { StateAndEffect.middleware() <> answer(-1) }
        static func initialState(_ settings: Settings) -> State { State(asked: 0) }
        static func reducer(_ settings: Settings) -> Reducer<Action, State> {
            StateAndEffect.reducer(settings)
        }

        /// Answers each question with the same number.
        static func answer(_ number: Int) -> Reader {
            .onAction { action, _, _ in
                guard case .ask = action else { return .doNothing }
                return .just(.answer(number))
            }
        }
    }

    /// The same two apart.
    private struct Apart: Plugin {
        typealias Action = StateAndEffect.Action
        typealias State = StateAndEffect.State

        static func middlewares() -> [Reader] { [StateAndEffect.middleware(), Joined.answer(-1)] }
        static func initialState(_ settings: Settings) -> State { State(asked: 0) }
        static func reducer(_ settings: Settings) -> Reducer<Action, State> {
            StateAndEffect.reducer(settings)
        }
    }

    /// The two apart, asked for as one.
    private struct Borrowed: Plugin {
        typealias Action = StateAndEffect.Action
        typealias State = StateAndEffect.State

        static func middleware() -> Reader { Apart.middleware() }
        static func initialState(_ settings: Settings) -> State { State(asked: 0) }
        static func reducer(_ settings: Settings) -> Reducer<Action, State> {
            StateAndEffect.reducer(settings)
        }
    }

    /// Neither of the two functions; the tool that embeds a manifest would not let it pass.
    private struct Neither: Plugin {
        enum Action: PluginAction { case ask }
    }

    @Test func `middlewares joined by <> do what they do apart`() async throws {
        func answers<P: Plugin>(_ plugin: P.Type) async throws -> [StateAndEffect.Action]
        where P.Action == StateAndEffect.Action, P.State == StateAndEffect.State {
            let store = try TestStore(plugin)
            try store.send(.ask(5)) { $0.asked = 5 }
            let answers = store.takeEmitted().map(\.action)
            try await store.finish()
            return answers
        }
        let joined = try await answers(Joined.self)
        #expect(joined.map { "\($0)" } == ["answer(-1)", "answer(5)"])
        #expect(try await answers(Apart.self).map { "\($0)" } == ["answer(-1)", "answer(5)"])
        #expect(try await answers(Borrowed.self).map { "\($0)" } == ["answer(-1)", "answer(5)"])
    }

    @Test func `a plugin that has neither is told so at its first use`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try TestStore(Neither.self)
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            words.contains(
                "expected middleware() or middlewares() in Neither, found neither; write one of them, with .doNothing() for a plugin that only keeps state"
            ))
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
