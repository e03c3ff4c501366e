// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct EffectMiddlewareTests {
    typealias Middleware = EffectMiddleware<Int, Int, Int, Void>
    typealias Named = EffectMiddleware<Int, Int, Int, String>

    private let trace = Trace()

    /// A store that writes down what it reduces.
    private func store<Wrapped: MiddlewareProtocol<Int, Int, Int>>(_ middleware: sending Wrapped) -> Store<
        Int, Int
    > {
        let trace = trace
        return Store(
            initialState: 0,
            reducer: .reduce { action, state in
                trace.add("reduce \(action)")
                state += action
            },
            middleware: middleware)
    }

    /// Writes its name down and answers 1 by `output`.
    private func named(_ output: Int) -> MiddlewareReader<String, Named> {
        .onAction { [trace] action, state, context in
            trace.add("\(context.dependencies) \(action) (\(state()))")
            return action == 1 ? .just(output) : .doNothing
        }
    }

    @Test func `the function runs after the reducers`() {
        store(
            Middleware.onAction { [trace] action, state, _ in
                trace.add("effect (\(state()))")
                return .doNothing
            }
        ).dispatch(3)
        #expect(trace.lines == ["reduce 3", "effect (3)"])
    }

    @Test func `the context gives dependencies, their members and the source of the action`() {
        let reader: MiddlewareReader<String, Named> = .onAction { [trace] _, _, context in
            trace.add("\(context.dependencies) \(context.count) \(context.dispatcher.file)")
            return .doNothing
        }
        store(reader.inject("four")).dispatch(1, from: .named("here"))
        #expect(trace.lines == ["reduce 1", "four 4 here"])
    }

    @Test func `order after the reducer is last to first also for effect middlewares`() {
        store(named(10).inject("a") <> named(20).inject("b") as Named).dispatch(1)
        #expect(
            trace.lines.filter { $0.hasPrefix("reduce") || $0.hasSuffix("1 (1)") } == [
                "reduce 1", "b 1 (1)", "a 1 (1)", "reduce 20", "reduce 10",
            ])
    }

    @Test func `a join behaves as the composition of the erased`() {
        let joined = Trace()
        let composed = Trace()
        for (trace, erase) in [(joined, false), (composed, true)] {
            let parts = ["a", "b", "c"].map { name in
                Middleware.onAction { action, _, _ in
                    trace.add("\(name) \(action)")
                    return action == 1 ? .sequence(2, 3) : .doNothing
                }
            }
            let store =
                erase
                ? store((parts[0].eraseToAnyMiddleware() <> parts[1].eraseToAnyMiddleware() <> parts[2]))
                : store(parts[0] <> parts[1] <> parts[2] as Middleware)
            store.dispatch(1)
        }
        #expect(joined.lines == composed.lines)
        #expect(joined.lines.count == 21)
    }

    @Test func `joining never mutates an operand and never runs a member twice`() {
        let parts = (0..<4).map { index in
            Middleware.onAction { [trace] _, _, _ in
                trace.add("\(index)")
                return .doNothing
            }
        }
        let left: Middleware = parts[0] <> parts[1]
        let right: Middleware = parts[2] <> parts[3]
        let both: Middleware = .identity <> left <> right <> .identity
        store(Forward(UnsafeShare(both))).dispatch(1)
        #expect(trace.lines == ["reduce 1", "3", "2", "1", "0"])
        store(Forward(UnsafeShare(left))).dispatch(2)
        #expect(trace.lines.suffix(3) == ["reduce 2", "1", "0"])
        store(Forward(UnsafeShare(parts[0]))).dispatch(3)
        #expect(trace.lines.suffix(2) == ["reduce 3", "0"])
    }

    @Test func `in a join each part keeps its own tokens`() {
        let outputs = [Kept<EffectOutput<Int>>(), Kept<EffectOutput<Int>>()]
        let parts = outputs.map { kept in
            Middleware.onAction { action, _, _ in
                action == 1 ? .start(token: "same") { _, output in kept.value = output } : .doNothing
            }
        }
        let shared = UnsafeShare(parts[0] <> parts[1] as Middleware)
        let store = store(Forward(shared))
        store.dispatch(1)
        #expect(outputs.map { $0.value?.isCancelled } == [false, false])
        #expect(shared.value.runningEffects == 2)
        shared.value.cancelEffects()
        #expect(outputs.map { $0.value?.isCancelled } == [true, true])
        #expect(shared.value.runningEffects == 0)
        withExtendedLifetime(store) {}
    }

    @Test func `letting go of a join leaves the effects of parts that live on`() {
        let kept = Kept<EffectOutput<Int>>()
        let part = UnsafeShare(Middleware.onAction { _, _, _ in .start { _, output in kept.value = output } })
        do {
            let join: Middleware = part.value <> .identity
            let io = join.handle(action: 1, from: .named("x"), state: GetState { 0 })
            io.run { _ in }
        }
        #expect(kept.value?.isCancelled == false)
        #expect(part.value.runningEffects == 1)
    }

    @Test func `readers of effect middlewares are a semigroup`() {
        let joined: MiddlewareReader<String, Named> = named(10) <> named(20)
        store(joined.inject("x")).dispatch(2)
        #expect(trace.lines == ["reduce 2", "x 2 (2)", "x 2 (2)"])
    }

    @Test func `an answer kept and run later answers its own action`() {
        let middleware = Middleware.onAction { [trace] action, state, _ in
            trace.add("\(action) (\(state()))")
            return .just(action * 10)
        }
        let state = Kept<Int>()
        let get = GetState { state.value ?? 0 }
        let first = middleware.handle(action: 1, from: .named("x"), state: get)
        let second = middleware.handle(action: 2, from: .named("x"), state: get)
        state.value = 7
        for io in [second, first, first] { io.run { [trace] in trace.add("out \($0.action)") } }
        #expect(trace.lines == ["2 (7)", "out 20", "1 (7)", "out 10", "1 (7)", "out 10"])
    }

    @Test func `an answer reads the state that came with its action`() {
        let middleware = Middleware.onAction { [trace] action, state, _ in
            trace.add("\(action) (\(state()))")
            return .doNothing
        }
        let states = [GetState { 10 }, GetState { 20 }]
        for action in [0, 1, 1, 0] {
            middleware.handle(action: action, from: .named("x"), state: states[action]).run { _ in }
        }
        #expect(trace.lines == ["0 (10)", "1 (20)", "1 (20)", "0 (10)"])
    }

    @Test func `letting go of the middleware cancels its effects`() {
        let kept = Kept<EffectOutput<Int>>()
        do {
            let middleware = Middleware.onAction { _, _, _ in .start { _, output in kept.value = output } }
            middleware.handle(action: 1, from: .named("x"), state: GetState { 0 }).run { _ in }
            #expect(kept.value?.isCancelled == false)
        }
        #expect(kept.value?.isCancelled == true)
    }

    @Test func `letting go of the middleware cancels its effects also where one of them keeps the context`() {
        let kept = Kept<(EffectContext<Void, Int>, EffectOutput<Int>)>()
        do {
            let middleware = EffectMiddleware<Int, Int, Int, Void>.onAction { _, _, _ in
                .start { kept.value = ($0, $1) }
            }
            middleware.handle(action: 1, from: .here(), state: GetState { 0 }).run { _ in }
            #expect(kept.value?.1.isCancelled == false)
        }
        #expect(kept.value?.1.isCancelled == true)
    }

    @Test func `an answer run after its middleware went starts nothing that lasts`() {
        let kept = Kept<EffectOutput<Int>>()
        func orphan() -> IO<Int> {
            Middleware.onAction { _, _, _ in .start { _, output in kept.value = output } }
                .handle(action: 1, from: .named("x"), state: GetState { 0 })
        }
        orphan().run { _ in }
        #expect(kept.value?.isCancelled == true)
    }

    @Test func `a lifted effect middleware keeps its tokens`() {
        let outputs = [Kept<EffectOutput<Int>>(), Kept<EffectOutput<Int>>()]
        let middleware = Middleware.onAction { action, _, _ in
            .start(token: "t") { _, output in outputs[action].value = output }
        }
        let store = store(
            middleware.lift(
                inputAction: { (action: Int) in action < 2 ? action : nil }, state: { (state: Int) in state })
        )
        store.dispatch(0)
        store.dispatch(1)
        #expect(outputs.map { $0.value?.isCancelled } == [true, false])
        withExtendedLifetime(store) {}
    }
}
