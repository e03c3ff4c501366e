// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gatehouse

@Suite(.timeLimit(.minutes(5)))
struct SupervisingMiddlewareTests {
    /// The keys that the state wants.
    typealias State = [String]
    typealias Middleware = SupervisingMiddleware<State, State, State, Void>

    private let trace = Trace()

    /// A store whose state is the last action, and a middleware that keeps an effect open for each key in it.
    private func store(
        _ initial: State = [], _ wanted: @escaping @Sendable (State) -> Effect<Void, State>
    ) -> (Store<State, State>, UnsafeShare<Middleware>) {
        let shared = UnsafeShare(Middleware(dependencies: ()) { state, _ in wanted(state) })
        let store = Store<State, State>(
            initialState: initial, reducer: .reduce { action, state in state = action },
            middleware: Forward(shared))
        return (store, shared)
    }

    /// An effect that tells of its start and of its cancellation.
    private func effect(_ key: String, token: String?) -> Effect<Void, State> {
        .start(token: token) { [trace] _, output in
            trace.add("+\(key)")
            output.onCancel {
                trace.add("-\(key)")
                _ = output
            }
        }
    }

    @Test func `an effect runs while the state wants it, from before the first action`() {
        let (store, shared) = store(["a"]) { [self] state in
            .merge(state.map { effect($0, token: $0) })
        }
        #expect(trace.lines == ["+a"])
        store.dispatch(["a", "b"])
        store.dispatch(["b", "a"])
        #expect(trace.lines == ["+a", "+b"])
        #expect(shared.value.runningEffects == 2)
        store.dispatch(["b"])
        #expect(trace.lines == ["+a", "+b", "-a"])
        store.dispatch(["a"])
        #expect(trace.lines == ["+a", "+b", "-a", "-b", "+a"])
        #expect(shared.value.runningEffects == 1)
    }

    @Test func `without a token an effect is known by its place`() {
        let (store, _) = store { [self] state in
            state.isEmpty ? .doNothing : effect("x", token: nil) <> effect("y", token: nil)
        }
        store.dispatch(["a"])
        store.dispatch(["b"])
        store.dispatch([])
        #expect(trace.lines.prefix(2) == ["+x", "+y"])
        #expect(trace.lines.dropFirst(2).sorted() == ["-x", "-y"])
    }

    @Test func `of two with one token the first runs`() {
        let (store, shared) = store { [self] _ in effect("first", token: "t") <> effect("second", token: "t")
        }
        store.dispatch([])
        #expect(trace.lines == ["+first"])
        #expect(shared.value.runningEffects == 1)
    }

    @Test func `one that has ended starts again only when it was unwanted`() {
        let (store, shared) = store { [trace] state in
            state.isEmpty ? .doNothing : .fireAndForget { _ in trace.add("done") }
        }
        for state in [["a"], ["b"], [], ["a"]] { store.dispatch(state) }
        #expect(trace.lines == ["done", "done"])
        #expect(shared.value.runningEffects == 0)
    }

    @Test func `what it emits is processed, and may make it unwanted`() {
        let (store, _) = store { state in
            state.count == 1 ? .start { _, output in output.send(["x", "y"]) } : .doNothing
        }
        store.dispatch(["a"])
        #expect(store.state == ["x", "y"])
    }

    @Test func `what was joined and appended is cancelled as a whole`() {
        let (store, shared) = store { [self] state in
            state.isEmpty ? .doNothing : (effect("x", token: "x") <> effect("y", token: "y")).append(["end"])
        }
        store.dispatch(["a"])
        #expect(shared.value.runningEffects == 2)
        store.dispatch([])
        #expect(shared.value.runningEffects == 0)
        #expect(store.state == [])
    }

    @Test func `cancelled effects come back with the next action, and none after the run was asked to end`() {
        let (store, shared) = store { [self] _ in effect("a", token: "a") }
        store.dispatch([])
        shared.value.cancelEffects()
        #expect(shared.value.runningEffects == 0)
        store.dispatch([])
        #expect(trace.lines == ["+a", "-a", "+a"])
        shared.value.stopEffects()
        store.dispatch([])
        #expect(trace.lines == ["+a", "-a", "+a", "-a"])
    }

    @Test func `effects go with their middleware`() {
        do {
            let (store, _) = store { [self] _ in effect("a", token: "a") }
            store.dispatch([])
        }
        #expect(trace.lines == ["+a", "-a"])
    }

    @Test func `a reader makes it with its dependencies`() {
        let reader = MiddlewareReader<Int, AnyMiddleware<Int, Int, Int>>.supervise { state, context in
            .just(state + context.dependencies)
        }
        let outputs = Trace()
        let middleware = reader.inject(40)
        middleware.handle(action: 0, from: .here(), state: GetState { 2 }).run { outputs.add("\($0.action)") }
        #expect(outputs.lines == ["42"])
    }
}
