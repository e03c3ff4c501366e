// SPDX-License-Identifier: Apache-2.0

import Suas
import Testing

/// What a store keeps, and what happens when it goes.
struct StoreLifetimeTests {
    /// Something a middleware or listener holds.
    private final class Held: Sendable {}

    /// Keeps a reference without keeping the object.
    private struct WeakHeld {
        weak var object: Held?
    }

    @Test func `a released store lets go of listeners and middlewares, also of connected ones`() {
        var held: Held? = Held()
        let reference = WeakHeld(object: held)
        do {
            let connected = Logger(output: { [held] _ in withExtendedLifetime(held) {} })
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
