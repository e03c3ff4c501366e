// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StoreOrderTests {
    /// A store that adds actions up and writes each reduction down.
    private func store<Middleware: MiddlewareProtocol<Int, Int, Int>>(
        _ trace: Trace, _ middleware: sending Middleware
    ) -> Store<Int, Int> {
        Store(
            initialState: 0,
            reducer: .reduce { action, state in
                trace.add("reduce \(action)")
                state += action
            },
            middleware: middleware)
    }

    @Test func `one action is handled, reduced, observed and answered in that order`() {
        let trace = Trace()
        let store = store(trace, Probe(name: "a", trace: trace))
        let subscription = store.observe(.always) { trace.add("observe \($0)") }
        store.dispatch(5)
        #expect(trace.lines == ["a handle 5 (0)", "reduce 5", "observe 5", "a io 5 (5)"])
        subscription.cancel()
    }

    @Test func `the order after the reducer is last to first`() {
        let trace = Trace()
        let store = store(
            trace,
            Probe(name: "a", trace: trace) <> Probe(name: "b", trace: trace) <> Probe(name: "c", trace: trace)
        )
        store.dispatch(1)
        #expect(
            trace.lines == [
                "a handle 1 (0)", "b handle 1 (0)", "c handle 1 (0)", "reduce 1", "c io 1 (1)", "b io 1 (1)",
                "a io 1 (1)",
            ])
    }

    @Test func `outputs are queued, never nested`() {
        let trace = Trace()
        let first = Probe(name: "a", trace: trace) { $0 == 1 ? [10, 20] : [] }
        let second = Probe(name: "b", trace: trace) { $0 == 1 ? [30] : $0 == 30 ? [40] : [] }
        store(trace, first <> second).dispatch(1)
        #expect(trace.lines.filter { $0.hasPrefix("reduce") } == [1, 30, 10, 20, 40].map { "reduce \($0)" })
        #expect(
            trace.lines.prefix(5).last == "a io 1 (1)",
            "an output was reduced before the outer action was answered")
    }

    @Test func `re-entrant dispatch from handle is queued behind the action in hand`() {
        let trace = Trace()
        let own = Weak<Store<Int, Int>>()
        let store = store(
            trace,
            AnyMiddleware<Int, Int, Int> { action, _, state in
                if action == 1 { own.value?.dispatch(2) }
                trace.add("handle \(action) (\(state()))")
                return .pure()
            })
        own.value = store
        store.dispatch(1)
        #expect(trace.lines == ["handle 1 (0)", "reduce 1", "handle 2 (1)", "reduce 2"])
    }

    @Test func `re-entrant dispatch from a reducer is queued and loses nothing`() {
        let trace = Trace()
        let own = Weak<Store<Int, Int>>()
        let store = Store<Int, Int>(
            initialState: 0,
            reducer: .reduce { action, state in
                if action == 1 { own.value?.dispatch(10) }
                trace.add("reduce \(action) on \(state)")
                state += action
            })
        own.value = store
        store.dispatch(1)
        #expect(trace.lines == ["reduce 1 on 0", "reduce 10 on 1"])
        #expect(store.state == 11)
    }

    @Test func `re-entrant dispatch from an observer is queued, and all observers see the states in order`() {
        let trace = Trace()
        let own = Weak<Store<Int, Int>>()
        let store = store(trace, Probe(name: "a", trace: trace))
        own.value = store
        let first = store.observe(.always) { state in
            trace.add("first \(state)")
            if state == 1 { own.value?.dispatch(10) }
        }
        let second = store.observe(.always) { trace.add("second \($0)") }
        store.dispatch(1)
        #expect(
            trace.lines == [
                "a handle 1 (0)", "reduce 1", "first 1", "second 1", "a io 1 (1)",
                "a handle 10 (1)", "reduce 10", "first 11", "second 11", "a io 10 (11)",
            ])
        first.cancel()
        second.cancel()
    }

    @Test func `dispatch returns when everything synchronous is done`() {
        let trace = Trace()
        let store = store(trace, Probe(name: "a", trace: trace) { $0 > 1 ? [$0 - 1] : [] })
        store.dispatch(4)
        #expect(store.state == 10)
    }

    @Test func `sources travel unchanged through lift, gate, composition and reader`() {
        let trace = Trace()
        let listener = AnyMiddleware<Int, Int, Int> { action, source, _ in
            trace.add("\(action) from \(source.file)")
            return action == 1 ? IO { $0.dispatch(2, from: .named("inner")) } : .pure()
        }
        let reader = MiddlewareReader<Void, AnyMiddleware<Int, Int, Int>> { listener }
            .lift(
                inputAction: { (action: String) in Int(action) }, outputAction: { "\($0)" },
                state: { (state: String) in state.count })
        let gated =
            reader.inject(()).gated(stateMap: { _ in true }) <> IdentityMiddleware<String, String, String>()
        let store = Store<String, String>(
            initialState: "", reducer: .reduce { $1 += $0 }, middleware: gated)
        store.dispatch("1", from: .named("outer"))
        #expect(trace.lines == ["1 from outer", "2 from inner"])
    }

    @Test func `start emits before the first action and before the store is handed out`() {
        let trace = Trace()
        let store = store(trace, Starter(trace: trace) <> Starter(trace: trace))
        #expect(
            trace.lines == ["start (0)", "start (0)", "handle 100", "handle 100", "reduce 100"] + [
                "handle 100", "handle 100", "reduce 100",
            ])
        store.dispatch(1)
        #expect(store.state == 201)
    }

    @Test func `a store without middleware reduces`() {
        let store = Store<Int, Int>(initialState: 1, reducer: .adding)
        store.dispatch(2)
        #expect(store.state == 3)
    }

    @Test func `work done after a wrapped queue grew keeps the order`() {
        let trace = Trace()
        let emitter = Probe(name: "a", trace: Trace()) { action in
            action == 1000 ? Array(0..<20) : action < 20 ? (0..<3).map { 100 + action * 3 + $0 } : []
        }
        store(trace, emitter).dispatch(1000)
        #expect(trace.lines == ([1000] + Array(0..<20) + Array(100..<160)).map { "reduce \($0)" })
    }
}

/// Emits 100 when the store starts.
private struct Starter: MiddlewareProtocol {
    let trace: Trace

    func handle(action: Int, from dispatcher: ActionSource, state: GetState<Int>) -> IO<Int> {
        trace.add("handle \(action)")
        return .pure()
    }

    func start(state: GetState<Int>) -> IO<Int> {
        trace.add("start (\(state()))")
        return IO { $0.dispatch(100) }
    }
}
