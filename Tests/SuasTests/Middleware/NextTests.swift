// SPDX-License-Identifier: Apache-2.0

import Suas
import Testing

/// What a middleware can do with `next`.
@Suite(.timeLimit(.minutes(10)))
struct NextTests {
    private let trace = Trace()

    /// A store with a probe, the middleware, and another probe.
    private func store(with middleware: sending BlockMiddleware) -> Store {
        Suas.createStore(
            reducer: Number(),
            middleware: Probe(name: "outer", trace: trace) + middleware + Probe(name: "inner", trace: trace))
    }

    @Test func `getState is old before next and new after it`() {
        let store = store(with: BlockMiddleware { action, _, _, next in next(action) })
        store.dispatch(action: Add(2))
        #expect(
            trace.lines == [
                "outer before +2 (0)", "inner before +2 (0)", "inner after +2 (2)", "outer after +2 (2)",
            ])
    }

    @Test func `another action given to next takes the first one's place`() {
        let store = store(with: BlockMiddleware { _, _, _, next in next(Add(5)) })
        store.dispatch(action: Add(2))
        #expect(
            trace.lines == [
                "outer before +2 (0)", "inner before +5 (0)", "inner after +5 (5)", "outer after +2 (5)",
            ])
    }

    @Test func `not calling next swallows the action, which action listeners have heard of`() {
        let store = store(with: BlockMiddleware { _, _, _, _ in })
        store.addActionListener { [trace] in trace.add("heard \($0)") }
        store.addListener { [trace] in trace.add("state \($0)") }
        store.dispatch(action: Add(2))
        #expect(trace.lines == ["heard +2", "outer before +2 (0)", "outer after +2 (0)"])
        #expect(store.state.number == 0)
    }

    @Test func `calling next twice reduces twice`() {
        let store = store(
            with: BlockMiddleware { action, _, _, next in
                next(action)
                next(action)
            })
        store.dispatch(action: Add(2))
        #expect(store.state.number == 4)
    }

    @Test
    func `a late next starts after the middlewares already passed and is not told to action listeners`() {
        let kept = Kept<NextFunction>()
        let store = store(with: BlockMiddleware { _, _, _, next in kept.value = next })
        store.addActionListener { [trace] in trace.add("heard \($0)") }
        store.dispatch(action: Add(2))
        trace.add("later")
        kept.value?(Add(2))
        #expect(
            trace.lines == [
                "heard +2", "outer before +2 (0)", "outer after +2 (0)", "later",
                "inner before +2 (0)", "inner after +2 (2)",
            ])
    }

    @Test func `a late next called while another action is in work joins the end of the queue`() {
        let kept = Kept<NextFunction>()
        let store = store(
            with: BlockMiddleware { action, _, dispatch, next in
                guard let first = kept.value else {
                    kept.value = next
                    return
                }
                guard action is Add else { return next(action) }
                dispatch(Say("queued first"))
                first(Add(10))
                next(action)
            })
        store.dispatch(action: Add(1))
        store.dispatch(action: Add(2))
        #expect(
            trace.lines == [
                "outer before +1 (0)", "outer after +1 (0)",
                "outer before +2 (0)", "inner before +2 (0)", "inner after +2 (2)", "outer after +2 (2)",
                "outer before queued first (2)", "inner before queued first (2)",
                "inner after queued first (2)", "outer after queued first (2)",
                "inner before +10 (2)", "inner after +10 (12)",
            ])
    }

    @Test func `next may be called from another thread`() {
        let store = store(
            with: BlockMiddleware { [trace] action, _, _, next in
                Threads.run(1) { _ in next(action) }
                trace.add("the other thread has ended")
            })
        store.dispatch(action: Add(2))
        #expect(
            trace.lines == [
                "outer before +2 (0)", "the other thread has ended", "outer after +2 (0)",
                "inner before +2 (0)", "inner after +2 (2)",
            ])
    }

    @Test func `a next called by a reducer is reported and queued`() {
        let problems = Problems()
        let kept = Kept<NextFunction>()
        let store = Suas.createStore(
            reducer: BlockReducer(initialState: 0) { state, action in
                guard case let add as Add = action else { return nil }
                if add.amount == 1 { kept.value?(Add(10)) }
                return state + add.amount
            },
            middleware: BlockMiddleware { action, _, _, next in
                kept.value = next
                next(action)
            },
            onProblem: problems.add)
        store.addListener(forStateType: Int.self) { [trace] in trace.add("\($0)") }
        store.dispatch(action: Add(1))
        #expect(trace.lines == ["1", "11"])
        #expect(problems.all == [.dispatchFromReducer(action: "Add")])
        kept.value = nil
    }
}
