// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(5)))
struct StoreStatesTests {
    private let store = Store<Int, Int>(initialState: 1, reducer: .adding)

    /// Everything in a stream that has ended or will.
    private func all<Element: Sendable>(_ stream: AsyncStream<Element>) async -> [Element] {
        var elements: [Element] = []
        for await element in stream { elements.append(element) }
        return elements
    }

    @Test func `states begin with the state as it is, and follow in order`() async {
        var states = store.states(bufferingPolicy: .unbounded).makeAsyncIterator()
        for action in 1...3 { store.dispatch(action) }
        for expected in [1, 2, 4, 7] { #expect(await states.next() == expected) }
    }

    @Test func `by default a slow reader gets the newest state only`() async {
        var states = store.states().makeAsyncIterator()
        for action in 1...3 { store.dispatch(action) }
        #expect(await states.next() == 7)
        store.dispatch(1)
        #expect(await states.next() == 8)
    }

    @Test func `the policy decides which changes follow`() async {
        var states = store.states(.when { $1 > $0 + 1 }, bufferingPolicy: .unbounded).makeAsyncIterator()
        for action in 1...3 { store.dispatch(action) }
        for expected in [1, 4, 7] { #expect(await states.next() == expected) }
    }

    @Test func `states end when the store goes`() async {
        var store: Store<Int, Int>? = Store(initialState: 1, reducer: .adding)
        let states = store?.states(bufferingPolicy: .unbounded)
        store?.dispatch(1)
        store = nil
        #expect(await all(states ?? AsyncStream { $0.finish() }) == [1, 2])
    }

    @Test func `a reader that goes is not told any more`() {
        let told = Trace()
        func watch() -> AsyncStream<Int> {
            store.states(
                .when { _, _ in
                    told.add("asked"); return true
                })
        }
        do {
            let states = watch()
            store.dispatch(1)
            withExtendedLifetime(states) {}
        }
        #expect(told.lines == ["asked"])
        store.dispatch(1)
        #expect(told.lines == ["asked"])
    }

    @Test func `a projection has states too`() async {
        var states = store.projection(action: { $0 }, state: { "<\($0)>" })
            .states(bufferingPolicy: .unbounded).makeAsyncIterator()
        store.dispatch(1)
        #expect(await states.next() == "<1>")
        #expect(await states.next() == "<2>")
    }
}
