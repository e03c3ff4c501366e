// SPDX-License-Identifier: Apache-2.0

import Suas
import Testing

/// Async actions, with and without the middleware that executes them.
@Suite(.timeLimit(.minutes(10)))
struct AsyncMiddlewareTests {
    private let trace = Trace()

    /// Adds what is there once more, through the functions it is given.
    private let double = BlockAsyncAction { getState, dispatch in dispatch(Add(getState().number)) }

    @Test func `an async action is executed, and nobody after the middleware sees it`() {
        let store = Suas.createStore(
            reducer: Number(initialState: 3),
            middleware: AsyncMiddleware() + Probe(name: "behind", trace: trace))
        store.dispatch(action: double)
        #expect(trace.lines == ["behind before +3 (3)", "behind after +3 (6)"])
    }

    @Test func `other actions pass the async middleware`() {
        let store = Suas.createStore(reducer: Number(), middleware: AsyncMiddleware())
        store.dispatch(action: Add(1))
        #expect(store.state.number == 1)
    }

    @Test func `action listeners and the middlewares ahead see the async action`() {
        let store = Suas.createStore(
            reducer: Number(),
            middleware: BlockMiddleware { [trace] action, _, _, next in
                trace.add("ahead \(type(of: action))")
                next(action)
            } + AsyncMiddleware())
        store.addActionListener { [trace] in trace.add("heard \(type(of: $0))") }
        store.dispatch(action: double)
        #expect(
            trace.lines == [
                "heard BlockAsyncAction", "ahead BlockAsyncAction", "heard Add", "ahead Add",
            ])
    }

    @Test func `without the async middleware an async action is not executed, which is reported`() {
        let problems = Problems()
        let store = Suas.createStore(
            reducer: BlockReducer(initialState: 0) { state, action in action is any AsyncAction ? 7 : nil },
            onProblem: problems.add)
        store.dispatch(action: BlockAsyncAction { [trace] _, _ in trace.add("executed") })
        #expect(store.state.number == 7)
        #expect(trace.lines == [])
        #expect(problems.all == [.asyncActionNotExecuted(action: "BlockAsyncAction")])
    }
}
