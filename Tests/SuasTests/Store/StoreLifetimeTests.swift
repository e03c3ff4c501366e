// SPDX-License-Identifier: Apache-2.0

import Suas
import Testing

/// What a store keeps, and what happens when it goes.
@Suite(.timeLimit(.minutes(10)))
struct StoreLifetimeTests {
    /// Something a middleware or listener holds.
    private final class Held: Sendable {}

    /// Keeps a reference without keeping the object.
    private struct WeakHeld {
        weak var object: Held?
    }

    /// An entry that calls back when it goes.
    private final class Leaving: Sendable {
        private let whenGone: @Sendable () -> Void

        init(whenGone: @escaping @Sendable () -> Void) { self.whenGone = whenGone }

        deinit { whenGone() }
    }

    @Test func `an entry that goes in a reset may read the store and dispatch`() {
        let trace = Trace()
        let kept = Kept<Store>()
        let store = Suas.createStore(reducer: Number(), state: 0)
        kept.value = store
        store.reset(
            state: Leaving {
                trace.add("left \(kept.value?.state.keys ?? [])")
                kept.value?.dispatch(action: Add(1))
            })
        #expect(store.state.keys == ["Int", "Leaving"])
        store.resetFullState(["Int": 5])
        #expect(trace.lines == ["left [\"Int\"]"])
        #expect(store.state.number == 6)
        kept.value = nil
    }

    @Test func `a released store lets go of listeners and middlewares, also of connected ones`() {
        var held: Held? = Held()
        let reference = WeakHeld(object: held)
        do {
            let connected = LoggingMiddleware(output: { [held] _ in withExtendedLifetime(held) {} })
            let store = Suas.createStore(reducer: Number(), middleware: connected)
            store.addListener { [held] _ in withExtendedLifetime(held) {} }
            store.addActionListener { [held] _ in withExtendedLifetime(held) {} }
            store.dispatch(action: Add(1))
            held = nil
            #expect(reference.object != nil)
        }
        #expect(reference.object == nil)
    }

    @Test func `an action that comes after the store was released is dropped and reported`() {
        let problems = Problems()
        let dispatch = Kept<DispatchFunction>()
        let next = Kept<NextFunction>()
        let trace = Trace()
        do {
            let keeper = BlockMiddleware { _, _, dispatchFunction, nextFunction in
                dispatch.value = dispatchFunction
                next.value = nextFunction
            }
            let store = Suas.createStore(reducer: Number(), middleware: keeper, onProblem: problems.add)
            store.addListener { trace.add("\($0)") }
            store.dispatch(action: Add(1))
        }
        dispatch.value?(Add(2))
        next.value?(Say("late"))
        #expect(trace.lines == [])
        #expect(problems.all == [.storeReleased(action: "Add"), .storeReleased(action: "Say")])
    }
}
