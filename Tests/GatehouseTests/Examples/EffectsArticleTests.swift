// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import GatehouseTesting
import Testing

/// The article about effects: each of its examples, run.
@Suite(.timeLimit(.minutes(5)))
struct EffectsArticleTests {
    typealias Work = Effect<Lamp.World, Lamp.Action>
    typealias Reader = MiddlewareReader<
        Lamp.World, AnyMiddleware<Lamp.Action, Lamp.Action, Lamp.State>
    >

    private static var measuring:
        MiddlewareReader<
            Lamp.World, EffectMiddleware<Lamp.Action, Lamp.Action, Lamp.State, Lamp.World>
        >
    {
        .onAction { action, state, context in
            guard case .turn(on: true) = action else { return .cancel("measure") }
            let isDim = state().brightness < 2
            return .task(token: "measure") {
                do {
                    let light = try await context.measure()
                    return light > 100 && !isDim ? .turn(on: false) : nil
                } catch {
                    return .noticed("the meter does not answer: \(error)")
                }
            }
        }
    }

    private static func dimming(_ context: EffectContext<Lamp.World, Lamp.Action>) -> Work {
        .timer(token: "dim", every: .seconds(60), clock: context.clock) { .dim }
    }

    private static var supervising: Reader {
        Reader { world in
            SupervisingMiddleware(dependencies: world) { state, context in
                state.isOn && state.brightness > 0 ? dimming(context) : .doNothing
            }.eraseToAnyMiddleware()
        }
    }

    /// A test of a lamp with one of the middlewares.
    private func makeStore<M: MiddlewareProtocol<Lamp.Action, Lamp.Action, Lamp.State>>(
        _ reader: MiddlewareReader<Lamp.World, M>, light: Result<Int, Dark> = .success(200)
    ) -> TestStore<Lamp.Action, Lamp.State> {
        let clock = ManualClock()
        return TestStore(
            initialState: Lamp.State(), reducer: Lamp.reducer,
            middleware: reader.inject(Lamp.World(clock: clock) { try light.get() }), clock: clock)
    }

    /// Why the meter fails.
    private struct Dark: Error {}

    @Test func `a task answers by one action`() async throws {
        let store = makeStore(Self.measuring)
        try store.send(.turn(on: true)) { $0.isOn = true }
        try await store.receive(.turn(on: false)) { $0.isOn = false }
        try await store.finish()
    }

    @Test func `what goes wrong is an action too`() async throws {
        let store = makeStore(Self.measuring, light: .failure(Dark()))
        try store.send(.turn(on: true)) { $0.isOn = true }
        try await store.receive(.noticed("the meter does not answer: Dark()"))
        try await store.finish()
    }

    @Test func `an effect that the state wants runs as long as the state wants it`() async throws {
        let store = makeStore(Self.supervising)
        try store.send(.turn(on: true)) { $0.isOn = true }
        store.advance(by: .seconds(120))
        try await store.receive(.dim) { $0.brightness = 2 }
        try await store.receive(.dim) { $0.brightness = 1 }
        try store.send(.turn(on: false)) { $0.isOn = false }
        #expect(store.runningEffects == 0)
        try await store.finish()
    }

    @Test func `effects join, and what comes last waits for all of them`() async throws {
        let clock = ManualClock()
        let both =
            Effect<Void, Lamp.Action>.cancel("measure")
            <> .just(.turn(on: false)).delay(for: .seconds(5), clock: clock)
        let effect = both.prepend(.noticed("good night")).append(.noticed("dark"))
        let actions = try await emissions(of: effect, advancing: clock, by: .seconds(5))
        #expect(actions == [.noticed("good night"), .turn(on: false), .noticed("dark")])
    }
}
