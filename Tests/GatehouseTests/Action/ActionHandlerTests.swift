// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gatehouse

@Suite(.timeLimit(.minutes(10)))
struct ActionHandlerTests {
    private let trace = Trace()

    /// Writes down what it is given, with the source.
    private var handler: AnyActionHandler<Int> {
        AnyActionHandler { [trace] in trace.add("\($0.action) from \($0.dispatcher.file)") }
    }

    @Test func `dispatch records the place of the call`() {
        let places = Trace()
        let handler = AnyActionHandler<Int> { places.add("\($0.dispatcher.function) \($0.dispatcher.line)") }
        handler.dispatch(1); let line: UInt = #line
        #expect(places.lines == ["dispatch records the place of the call() \(line)"])
    }

    @Test func `dispatch on behalf of another place records that`() {
        handler.dispatch(1, from: .named("there"))
        #expect(trace.lines == ["1 from there"])
    }

    @Test func `contramap keeps the source`() {
        handler.contramap { (text: String) in text.count }.dispatch("abc", from: .named("x"))
        #expect(trace.lines == ["3 from x"])
    }

    @Test func `erasing an erased handler keeps its sink`() {
        let once = handler
        #expect(AnyActionHandler(once).sink === once.sink)
        #expect(once.eraseToAnyActionHandler().sink === once.sink)
    }

    @Test func `a store is a handler like any other`() {
        let store = Store<Int, Int>(initialState: 0, reducer: .adding)
        store.eraseToAnyActionHandler().dispatch(1)
        store.contramap { (text: String) in text.count }.dispatch("abc")
        #expect(store.state == 4)
    }

    @Test func `the map in front of an erased store runs in the store's drain`() {
        let store = Store<Int, Int>(initialState: 0, reducer: .adding)
        let mapped = store.eraseToAnyActionHandler().contramap { [trace] (action: Int) in
            trace.add("in the drain: \(store.drain.isCurrent)")
            return action
        }
        mapped.dispatch(1)
        #expect(trace.lines == ["in the drain: true"])
        #expect(store.state == 1)
    }

    @Test func `an output of a store used outside the drain joins the queue`() {
        let kept = Kept<AnyActionHandler<Int>>()
        let store = Store<Int, [Int]>(
            initialState: [], reducer: .reduce { $1.append($0) },
            middleware: AnyMiddleware { _, _, _ in IO { kept.value = $0 } })
        store.dispatch(1)
        #expect(store.drain.enter(StoreThread.current &+ 1))
        kept.value?.dispatch(2)
        store.dispatch(3)
        store.drain.leave()
        #expect(store.state == [1, 2, 3])
    }
}
