// SPDX-License-Identifier: Apache-2.0

import Suas
import Testing

/// Dispatch: one action at a time, never nested.
@Suite(.timeLimit(.minutes(10)))
struct StoreOrderTests {
    private let trace = Trace()

    @Test func `action listeners, middlewares, reducers and listeners run in this order`() {
        let store = Suas.createStore(
            reducer: Number(),
            middleware: Probe(name: "first", trace: trace) + Probe(name: "second", trace: trace))
        store.addListener { [trace] state in trace.add("listener (\(state.number))") }
        store.addActionListener { [trace] action in trace.add("action listener \(action)") }
        store.dispatch(action: Add(1))
        #expect(
            trace.lines == [
                "action listener +1", "first before +1 (0)", "second before +1 (0)", "listener (1)",
                "second after +1 (1)", "first after +1 (1)",
            ])
    }

    @Test func `when a listener dispatches, later listeners hear each action once with its own two states`() {
        let store = Suas.createStore(reducer: Number())
        store.addListener(forStateType: Int.self) { [weak store] number in
            if number == 1 { store?.dispatch(action: Add(10)) }
        }
        store.addListener(
            forStateType: Int.self,
            if: { [trace] old, new in
                trace.add("\(old) to \(new)")
                return true
            },
            callback: { [trace] number in trace.add("told \(number)") })
        store.dispatch(action: Add(1))
        #expect(trace.lines == ["0 to 1", "told 1", "1 to 11", "told 11"])
    }

    @Test func `a dispatch from a middleware waits for the action in work`() {
        let echo = BlockMiddleware { action, _, dispatch, next in
            if case let add as Add = action, add.amount == 1 { dispatch(Add(10)) }
            next(action)
        }
        let store = Suas.createStore(reducer: Number(), middleware: Probe(name: "probe", trace: trace) + echo)
        store.dispatch(action: Add(1))
        #expect(
            trace.lines == [
                "probe before +1 (0)", "probe after +1 (1)", "probe before +10 (1)", "probe after +10 (11)",
            ])
    }

    @Test func `a dispatch from another thread does not wait for the thread that drains`() {
        let store = Suas.createStore(reducer: Number())
        store.addListener(forStateType: Int.self) { [weak store, trace] number in
            trace.add("\(number)")
            guard number == 1 else { return }
            Threads.run(1) { [weak store] _ in store?.dispatch(action: Add(10)) }
            trace.add("the other thread has ended")
        }
        store.dispatch(action: Add(1))
        #expect(trace.lines == ["1", "the other thread has ended", "11"])
    }

    @Test func `no action of many threads is lost, and no two run at once`() {
        let store = Suas.createStore(reducer: Number(), middleware: Probe(name: "probe", trace: trace))
        Threads.run(4) { _ in
            for _ in 0..<250 { store.dispatch(action: Add(1)) }
        }
        #expect(store.state.number == 1000)
        let expected = (0..<1000).flatMap { ["probe before +1 (\($0))", "probe after +1 (\($0 + 1))"] }
        #expect(trace.lines == expected)
    }

    @Test func `a dispatch from a reducer is reported and queued`() {
        let problems = Problems()
        let kept = Kept<Store>()
        let store = Suas.createStore(
            reducer: BlockReducer(initialState: 0) { state, action in
                guard case let add as Add = action else { return nil }
                if add.amount == 1 { kept.value?.dispatch(action: Add(10)) }
                return state + add.amount
            },
            onProblem: problems.add)
        kept.value = store
        store.addListener(forStateType: Int.self) { [trace] in trace.add("\($0)") }
        store.dispatch(action: Add(1))
        #expect(trace.lines == ["1", "11"])
        #expect(problems.all == [.dispatchFromReducer(action: "Add")])
        kept.value = nil
    }

    @Test func `a chain of answers is cut at its limit and names the last actions`() {
        let problems = Problems()
        let pingPong = BlockMiddleware { action, _, dispatch, next in
            next(action)
            if action is Add { dispatch(Say("pong")) } else { dispatch(Add(1)) }
        }
        let store = Suas.createStore(
            reducer: Number(), middleware: pingPong, maximumChain: 20, onProblem: problems.add)
        store.dispatch(action: Add(1))
        let cycle = ["Say", "Add", "Say", "Add", "Say", "Add", "Say"]
        #expect(problems.all == [.dispatchLoop(limit: 20, recent: ["Add"] + cycle, dropped: 1)])
        #expect(store.state.number == 11)
        store.dispatch(action: Add(1))
        #expect(store.state.number == 22)
    }
}
