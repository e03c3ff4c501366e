// SPDX-License-Identifier: Apache-2.0

import Suas
import Testing

/// The example on the module's own page.
@Suite(.timeLimit(.minutes(10)))
struct ModulePageTests {
    @Test func `a counter counts and its listener hears it`() {
        struct Increment: Action {}

        struct Counter: Reducer {
            var initialState: Int = 0

            func reduce(state: Int, action: any Action) -> Int? {
                action is Increment ? state + 1 : nil
            }
        }

        let store = Suas.createStore(reducer: Counter(), middleware: AsyncMiddleware())
        store.addListener(forStateType: Int.self) { print($0) }
        store.dispatch(action: Increment())

        #expect(store.state.value(forKeyOfType: Int.self) == 1)
    }
}
