// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LiftMiddlewareTests {
    /// What an app does; numbers belong to the part.
    enum AppAction: Sendable, Equatable {
        case number(Int)
        case text(String)

        var number: Int? { if case .number(let value) = self { value } else { nil } }
    }

    /// What an app knows.
    struct AppState: Sendable {
        var number = 0
        var text = ""
    }

    private let trace = Trace()

    /// A probe fitted to the app.
    private func lifted(_ probe: Probe) -> LiftMiddleware<AppAction, AppAction, AppState, Probe> {
        let trace = trace
        return probe.lift(
            inputAction: \AppAction.number, outputAction: AppAction.number,
            state: { (state: AppState) in
                trace.add("map")
                return state.number
            })
    }

    /// A store of the app that adds numbers up.
    private func store<Middleware: MiddlewareProtocol<AppAction, AppAction, AppState>>(
        _ middleware: sending Middleware
    ) -> Store<AppAction, AppState> {
        Store(
            initialState: AppState(),
            reducer: Reducer<Int, Int>.adding.lift(action: \AppAction.number, state: \AppState.number),
            middleware: middleware)
    }

    @Test func `an action mapped to nil reaches neither the part nor the state map`() {
        store(lifted(Probe(name: "a", trace: trace))).dispatch(.text("x"))
        #expect(trace.lines.filter { $0 != "a cancelled" } == [])
    }

    @Test func `the part reads a live mapped state, mapped once for each read`() {
        let store = store(lifted(Probe(name: "a", trace: trace)))
        store.dispatch(.number(5))
        #expect(trace.lines == ["map", "a handle 5 (0)", "map", "a io 5 (5)"])
        withExtendedLifetime(store) {}
    }

    @Test func `outputs are mapped, also late ones`() {
        let kept = Kept<AnyActionHandler<Int>>()
        let part = AnyMiddleware<Int, Int, Int> { action, _, _ in
            action == 1 ? IO { kept.value = $0 } : .pure()
        }
        let store = store(
            part.lift(
                inputAction: \AppAction.number, outputAction: AppAction.number,
                state: { (state: AppState) in state.number }))
        store.dispatch(.number(1))
        kept.value?.dispatch(10)
        #expect(store.state.number == 11)
    }

    @Test func `an answer kept while the next action is handled stays as it is`() {
        let middleware = lifted(Probe(name: "a", trace: trace) { [$0] })
        let state = GetState { AppState() }
        let first = middleware.handle(action: .number(1), from: .named("x"), state: state)
        let second = middleware.handle(action: .number(2), from: .named("x"), state: state)
        let outputs = Trace()
        for io in [first, second, first] { io.run { outputs.add("\($0.action)") } }
        #expect(outputs.lines == ["number(1)", "number(2)", "number(1)"])
    }

    /// Emits the action, at the start 70 and at the end 80; each of its answers holds something.
    private struct Holding: MiddlewareProtocol {
        /// Counts itself while it lives.
        final class Held: Sendable {
            private let alive: Kept<Int>

            init(_ alive: Kept<Int>) {
                self.alive = alive
                alive.value = (alive.value ?? 0) + 1
            }

            deinit { alive.value = (alive.value ?? 0) - 1 }
        }

        /// How many things are held.
        let alive: Kept<Int>
        /// Takes a line each time it is asked: what is held then.
        let trace: Trace

        private func answer(_ output: Int) -> IO<Int> {
            trace.add("\(alive.value ?? 0) held")
            let held = Held(alive)
            return IO { handler in withExtendedLifetime(held) { handler.dispatch(output) } }
        }

        func handle(action: Int, from dispatcher: ActionSource, state: GetState<Int>) -> IO<Int> {
            answer(action)
        }
        func start(state: GetState<Int>) -> IO<Int> { answer(70) }
        func stopping(state: GetState<Int>) -> IO<Int> { answer(80) }
    }

    /// The ways to put something between a middleware and its store.
    private func wrapped(_ way: String, _ part: Holding) -> AnyMiddleware<Int, Int, Int> {
        switch way {
        case "lifted": AnyMiddleware(part.lift(state: { (state: Int) in state }))
        case "gated": AnyMiddleware(part.gated(stateMap: { $0 >= 0 }))
        default: AnyMiddleware(ComposedMiddleware([AnyMiddleware(part)]))
        }
    }

    @Test(arguments: ["lifted", "gated", "composed"])
    func `what an answer holds is let go of before the middleware is asked for the next`(_ way: String) {
        let middleware = wrapped(way, Holding(alive: Kept(), trace: trace))
        let state = GetState { 0 }
        for _ in 0..<2 {
            _ = middleware.start(state: state)
            _ = middleware.handle(action: 1, from: .here(), state: state)
            _ = middleware.stopping(state: state)
        }
        #expect(trace.lines == Array(repeating: "0 held", count: 6))
    }

    @Test(arguments: ["lifted", "gated", "composed"])
    func `an answer that is kept stays as it is, whatever the middleware is asked for next`(_ way: String) {
        let middleware = wrapped(way, Holding(alive: Kept(), trace: trace))
        let state = GetState { 0 }
        let answers = [
            middleware.handle(action: 1, from: .here(), state: state), middleware.start(state: state),
            middleware.handle(action: 2, from: .here(), state: state), middleware.stopping(state: state),
            middleware.handle(action: 3, from: .here(), state: state),
        ]
        let outputs = Trace()
        for answer in answers + answers { answer.run { outputs.add("\($0.action)") } }
        #expect(outputs.lines == ["1", "70", "2", "80", "3", "1", "70", "2", "80", "3"])
    }

    @Test func `one middleware may serve two stores`() {
        let shared = UnsafeShare(lifted(Probe(name: "a", trace: trace) { $0 == 1 ? [10] : [] }))
        let stores = [store(Forward(shared)), store(Forward(shared))]
        for index in [0, 1, 0] { stores[index].dispatch(.number(1)) }
        #expect(stores.map(\.state.number) == [22, 11])
        #expect(
            trace.lines.filter { $0.contains("handle 1 ") } == [
                "a handle 1 (0)", "a handle 1 (0)", "a handle 1 (11)",
            ],
            "each reads its own state")
    }

    @Test func `gates and cancellations reach the part`() {
        let middleware = lifted(Probe(name: "a", trace: trace))
        middleware.gateChanged(to: .active)
        middleware.cancelEffects()
        #expect(trace.lines == ["a gate active", "a cancelled"])
    }
}
