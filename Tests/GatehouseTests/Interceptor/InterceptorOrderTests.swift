// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct InterceptorOrderTests {
    private let trace = Trace()

    private func guarded(
        _ name: String, _ decide: @escaping @Sendable (Int) -> Guard.Decision = { _ in .pass }
    )
        -> AnyInterceptor<Int, Int>
    {
        Guard(name: name, trace: trace, decide: decide).eraseToAnyInterceptor()
    }

    private func run(_ guards: [AnyInterceptor<Int, Int>], _ actions: Int..., middleware: [Probe] = [])
        -> [String]
    {
        let store = Guard.store(guards, middleware: middleware, trace: trace)
        for action in actions { store.dispatch(action) }
        return withExtendedLifetime(store) { trace.lines }
    }

    @Test
    func `three interceptors stand around all middlewares, in array order, and their IOs run after them`() {
        let lines = run(
            [guarded("a"), guarded("b"), guarded("c")], 5,
            middleware: [Probe(name: "m", trace: trace), Probe(name: "n", trace: trace)])
        #expect(
            lines == [
                "a before 5 (0)", "b before 5 (0)", "c before 5 (0)", "m handle 5 (0)", "n handle 5 (0)",
                "reduce 5", "c after 5 (5)", "b after 5 (5)", "a after 5 (5)", "n io 5 (5)", "m io 5 (5)",
            ])
    }

    @Test func `next returns after the observers were told`() {
        let trace = trace
        let store = Guard.store([guarded("a")], middleware: [], trace: trace)
        let subscription = store.observe { trace.add("observed \($0)") }
        store.dispatch(3)
        #expect(trace.lines == ["a before 3 (0)", "reduce 3", "observed 3", "a after 3 (3)"])
        withExtendedLifetime(subscription) {}
    }

    @Test func `an action that is not passed on reaches nobody further on`() {
        let lines = run(
            [guarded("a"), guarded("b") { _ in .stop }, guarded("c")], 5,
            middleware: [Probe(name: "m", trace: trace)])
        #expect(lines == ["a before 5 (0)", "b before 5 (0)", "b after 5 (0)", "a after 5 (0)"])
    }

    @Test func `a changed action is what everybody further on sees, with the source as it came`() {
        let sources = Trace()
        let trace = trace
        let last = AnyInterceptor<Int, Int> { action, dispatcher, _, _, next in
            sources.add("\(action) from \(dispatcher.file)")
            next()
        }
        let store = Guard.store(
            [guarded("a") { .change($0 * 10) }, last], middleware: [Probe(name: "m", trace: trace)],
            trace: trace)
        store.dispatch(5, from: .named("input"))
        #expect(sources.lines == ["50 from input"])
        #expect(
            trace.lines == [
                "a before 5 (0)", "m handle 50 (0)", "reduce 50", "a after 5 (50)", "m io 50 (50)",
            ])
    }

    @Test func `what an interceptor emits joins the end of the queue`() {
        let emitting = Guard(name: "a", trace: trace, emits: { $0 < 10 ? [$0 + 10, $0 + 20] : [] })
        let lines = run([emitting.eraseToAnyInterceptor()], 1)
        #expect(
            lines == [
                "a before 1 (0)", "reduce 1", "a after 1 (1)", "a before 11 (1)", "reduce 11",
                "a after 11 (12)",
                "a before 21 (12)", "reduce 21", "a after 21 (33)",
            ])
    }

    @Test func `an interceptor that answers each action by another is cut like any chain`() {
        let loops = Kept<DispatchLoop<Int>>()
        let echo = Guard(name: "a", trace: trace, emits: { [$0] }, decide: { _ in .stop })
        let store = Guard.store(
            [echo.eraseToAnyInterceptor()], middleware: [], trace: trace,
            hooks: StoreHooks(onLoop: { loops.value = $0 }), limits: DrainLimits(chain: 50))
        store.dispatch(7)
        #expect(loops.value?.limit == 50)
        #expect(loops.value?.recent.allSatisfy { $0.action == 7 && $0.dispatcher.file == "a" } == true)
        #expect(trace.lines.count == 2 * 51)
    }

    @Test func `actions that an interceptor is not concerned with pass it by`() {
        let even = Guard(name: "a", trace: trace, wants: { $0.isMultiple(of: 2) }, decide: { _ in .stop })
        #expect(
            run([even.eraseToAnyInterceptor()], 1, 2, 3) == [
                "reduce 1", "a before 2 (1)", "a after 2 (1)", "reduce 3",
            ])
    }

    @Test func `an action changed to a kind that the next one is not concerned with passes that one by`() {
        let odd = Guard(name: "b", trace: trace, wants: { !$0.isMultiple(of: 2) })
        #expect(
            run([guarded("a") { .change($0 + 1) }, odd.eraseToAnyInterceptor()], 1) == [
                "a before 1 (0)", "reduce 2", "a after 1 (2)",
            ])
    }

    @Test func `the interceptor sees outputs of middlewares like any action`() {
        let answering = Probe(name: "m", trace: trace, emits: { $0 == 1 ? [2] : [] })
        let lines = run([guarded("a") { $0 == 2 ? .stop : .pass }], 1, middleware: [answering])
        #expect(lines.suffix(2) == ["a before 2 (1)", "a after 2 (1)"])
        #expect(!lines.contains("reduce 2"))
    }

    @Test func `gates around a row, a lift and a gate reach each interceptor in them`() {
        let row = (guarded("a") <> guarded("b")).lift(
            inputAction: { (action: Int) -> Int? in action }, outputAction: \.self,
            state: { (state: Int) in state })
        row.gated(behind: Gate(state: { _ in .active })).gateChanged(to: .bypass)
        #expect(trace.lines == ["a gate bypass", "b gate bypass"])
    }

    @Test(arguments: [nil, 50])
    func `an interceptor may show an action to an erased one, which then has its next`(_ changed: Int?) {
        let inner = guarded("b") { _ in changed.map { .change($0) } ?? .pass }
        let outer = AnyInterceptor<Int, Int> { [trace] action, source, state, output, next in
            trace.add("outer \(action)")
            inner.intercept(action: action, from: source, state: state, output: output, next: next)
        }
        let passed = changed ?? 5
        #expect(
            run([outer], 5) == ["outer 5", "b before 5 (0)", "reduce \(passed)", "b after 5 (\(passed))"])
    }
}
