// SPDX-License-Identifier: Apache-2.0

import Suas
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ReducerTests {
    private let trace = Trace()

    @Test func `the key of a reducer is its state type's name unless given`() {
        #expect(Number().stateKey == "Int")
        #expect(Word().stateKey == "word")
        #expect(BlockReducer(initialState: 1.5) { _, _ in nil }.stateKey == "Double")
        #expect(BlockReducer(initialState: 1.5, stateKey: "pi") { _, _ in nil }.stateKey == "pi")
    }

    @Test
    func `a reducer that returns nil leaves the state and tells no listener, not even of the whole state`() {
        let store = Suas.createStore(reducer: Number())
        store.addListener(forStateType: Int.self) { [trace] in trace.add("key \($0)") }
        store.addListener { [trace] in trace.add("all \($0)") }
        store.addListener(stateSelector: { $0.number }, callback: { [trace] in trace.add("selected \($0)") })
        store.dispatch(action: Add(0))
        #expect(trace.lines == [])
        #expect(store.state.number == 0)
    }

    @Test func `an equal value counts as changed`() {
        let store = Suas.createStore(reducer: Word())
        store.addListener(forStateType: String.self, stateKey: "word") { [trace] in trace.add($0) }
        store.dispatch(action: Say("same"))
        store.dispatch(action: Say("same"))
        #expect(trace.lines == ["same", "same"])
    }
}
