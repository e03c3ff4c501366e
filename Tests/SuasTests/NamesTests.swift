// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Suas
import Testing

/// The names that the module shares with the core.
@Suite(.timeLimit(.minutes(10)))
struct NamesTests {
    private struct Tick: Suas::Action {}

    @Test func `a file that imports both modules tells their names apart by module`() {
        let core = Gatehouse::Store<Int, Int>(
            initialState: 0, reducer: Gatehouse::Reducer.reduce { action, state in state += action })
        let suas: Suas::Store = Suas.createStore(
            reducer: BlockReducer(initialState: 0) { state, action in action is Tick ? state + 2 : nil })
        core.dispatch(1)
        suas.dispatch(action: Tick())
        #expect(core.state == 1)
        #expect(suas.state.value(forKeyOfType: Int.self) == 2)
    }
}
