// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct GetStateTests {
    @Test func `a getter is live`() {
        let number = Kept<Int>()
        let get = GetState { number.value }
        #expect(get() == nil)
        number.value = 2
        #expect(get() == 2)
    }

    @Test func `a mapped getter is live and maps once for each read`() {
        let trace = Trace()
        let number = Kept<Int>()
        let get = GetState { number.value ?? 0 }.map { value -> String in
            trace.add("map")
            return "\(value)"
        }
        #expect(trace.lines == [])
        #expect(get() == "0")
        number.value = 5
        #expect(get() == "5")
        #expect(trace.lines == ["map", "map"])
    }

    @Test func `a getter kept by a middleware gives whatever is current then`() {
        let trace = Trace()
        let own = Weak<Store<Int, Int>>()
        let kept = UnsafeShare(Getters())
        let store = Store<Int, Int>(
            initialState: 0, reducer: .adding,
            middleware: AnyMiddleware { action, _, state in
                kept.value.all.append(state)
                trace.add(kept.value.all.map { "\($0())" }.joined(separator: " "))
                return .pure()
            })
        own.value = store
        store.dispatch(1)
        store.dispatch(2)
        #expect(trace.lines == ["0", "1 1"])
    }
}

/// The getters a middleware was given.
private final class Getters {
    var all: [GetState<Int>] = []
}
