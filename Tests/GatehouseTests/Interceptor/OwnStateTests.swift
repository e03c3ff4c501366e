// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// What an interceptor changes by actions of its own.
@Suite(.timeLimit(.minutes(10)))
struct OwnStateTests {
    private let trace = Trace()

    /// A store of numbers that adds and writes down.
    private func store(_ interceptors: AnyInterceptor<Int, Int>...) -> Store<Int, Int> {
        let trace = trace
        return Store(
            initialState: 0,
            reducer: .reducing { action, state in
                trace.add("reduce \(action)")
                state += action
                return action == 0 ? .unchanged : .changed
            },
            middleware: Probe(name: "m", trace: trace), interceptors: UnsafeShare(interceptors).value)
    }

    /// Applies a hundred times the action, and lets small ones pass.
    private func applying(_ name: String) -> AnyInterceptor<Int, Int> {
        AnyInterceptor { [trace] action, _, state, _, next in
            state.apply(action * 100)
            trace.add("\(name) \(state())")
            if action < 5 { next() }
        }
    }

    @Test
    func `it is reduced at once, ahead of the action in hand, and reaches no middleware and no interceptor`()
    {
        store(applying("a"), applying("b")).dispatch(1)
        #expect(
            trace.lines.filter { !$0.hasPrefix("m") } == [
                "reduce 100", "a 100", "reduce 100", "b 200", "reduce 1",
            ])
        #expect(trace.lines.filter { $0.hasPrefix("m") && $0.contains("100") && !$0.contains("200") } == [])
    }

    @Test func `it stands when the action in hand is stopped`() {
        let store = store(applying("a"))
        store.dispatch(5)
        #expect(store.state == 500)
    }

    @Test func `observers are told of each change by itself`() {
        let store = store(applying("a"))
        let subscription = store.observe { [trace] in trace.add("now \($0)") }
        store.dispatch(2)
        store.dispatch(0)
        subscription.cancel()
        #expect(trace.lines.filter { $0.hasPrefix("now") } == ["now 200", "now 202"])
    }

    @Test func `lifted, its actions are mapped like outputs`() {
        let lifted: AnyInterceptor<Int, Int> = applying("a").lift(
            inputAction: { (action: Int) in action % 2 == 0 ? action / 2 : nil }, outputAction: { $0 * 2 },
            state: { (state: Int) in -state })
        let store = store(lifted)
        store.dispatch(4)
        store.dispatch(3)
        #expect(trace.lines.contains("a -400"))
        #expect(store.state == 407)
    }

    @Test func `a closed gate covers it`() {
        let store = store(
            applying("a").gated(
                behind: Gate(
                    controlAction: { _ in Bool?.none }, turnOn: true, turnOff: false, default: .bypass)))
        store.dispatch(1)
        #expect(store.state == 1)
    }

    @Test func `what a lift has made for a whole is made once`() {
        var made = 0
        var cache = OwnStateCache { (whole: OwnState<Int, Int>) in
            made += 1
            return whole.map(action: { (action: Int) in action }, state: { (state: Int) in state })
        }
        let (one, other) = (OwnState<Int, Int>(GetState { 1 }), OwnState<Int, Int>(GetState { 2 }))
        #expect([cache(one)(), cache(one)(), cache(other)(), cache(other)()] == [1, 1, 2, 2])
        #expect(made == 2)
    }
}
