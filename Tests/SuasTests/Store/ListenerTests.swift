// SPDX-License-Identifier: Apache-2.0

import Suas
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ListenerTests {
    private let trace = Trace()
    private let store = Suas.createStore(reducer: Number() + Word())

    /// Makes a callback that writes down what it is told.
    private func told<Value>(_ name: String) -> @Sendable (Value) -> Void {
        { [trace] in trace.add("\(name) \($0)") }
    }

    @Test func `listeners are told in the order they were added`() {
        for name in ["a", "b", "c"] { store.addListener(forStateType: Int.self, callback: told(name)) }
        store.dispatch(action: Add(1))
        #expect(trace.lines == ["a 1", "b 1", "c 1"])
    }

    @Test func `action listeners are told in the order they were added`() {
        for name in ["a", "b", "c", "d", "e"] { store.addActionListener(actionListener: told(name)) }
        store.dispatch(action: Add(1))
        #expect(trace.lines == ["a +1", "b +1", "c +1", "d +1", "e +1"])
    }

    @Test func `a listener with a key is told only when its own entry changed`() {
        store.addListener(forStateType: String.self, stateKey: "word", callback: told("word"))
        store.dispatch(action: Add(1))
        store.dispatch(action: Say("hello"))
        #expect(trace.lines == ["word hello"])
    }

    @Test func `a listener of another type than the entry is not told`() {
        store.addListener(forStateType: Int.self, stateKey: "word", callback: told("word"))
        store.dispatch(action: Say("hello"))
        #expect(trace.lines == [])
    }

    @Test func `a listener is told when its filter says so`() {
        store.addListener(forStateType: Int.self, if: { $1 > $0 }, callback: told("up"))
        store.dispatch(action: Add(5))
        store.dispatch(action: Add(-2))
        store.dispatch(action: Add(1))
        #expect(trace.lines == ["up 5", "up 4"])
    }

    @Test func `EqualsFilter as a listener's filter passes over equal values`() {
        struct Level: Equatable, SuasDynamicEquatable {
            let value: Int
        }
        let store = Suas.createStore(
            reducer: BlockReducer(initialState: Level(value: 0)) { _, action in
                (action as? Add).map { Level(value: $0.amount) }
            })
        store.addListener(forStateType: Level.self, if: EqualsFilter) { [trace] level in
            trace.add("level \(level.value)")
        }
        for amount in [1, 1, 2, 2, 1] { store.dispatch(action: Add(amount)) }
        #expect(trace.lines == ["level 1", "level 2", "level 1"])
    }

    @Test func `a listener of the whole state is told of a change of any entry`() {
        store.addListener(callback: told("all"))
        store.dispatch(action: Add(1))
        store.dispatch(action: Say("hello"))
        #expect(trace.lines == ["all Int: 1, word: ", "all Int: 1, word: hello"])
    }

    @Test func `a selector listener is told what is selected, and nothing while that is nil`() {
        store.addListener(
            stateSelector: { $0.number > 1 ? $0.number * 10 : nil }, callback: told("selected"))
        store.dispatch(action: Add(1))
        store.dispatch(action: Add(1))
        store.dispatch(action: Say("any change"))
        #expect(trace.lines == ["selected 20", "selected 20"])
    }

    @Test func `the filter of a selector listener compares what is selected`() {
        store.addListener(
            if: { $0 != $1 }, stateSelector: { $0.number / 10 }, callback: told("tens"))
        store.dispatch(action: Add(9))
        store.dispatch(action: Add(1))
        store.dispatch(action: Add(1))
        #expect(trace.lines == ["tens 1"])
    }

    @Test func `a listener added while listeners are told hears of the next action`() {
        store.addListener(forStateType: Int.self) { [weak store, trace] number in
            if number == 1 { store?.addListener(forStateType: Int.self) { trace.add("added \($0)") } }
        }
        store.dispatch(action: Add(1))
        store.dispatch(action: Add(1))
        #expect(trace.lines == ["added 2"])
    }

    @Test func `reset changes the state and tells nobody`() {
        store.addListener(callback: told("all"))
        store.reset(state: 5)
        store.reset(state: "hi", forKey: "word")
        #expect(store.state.description == "Int: 5, word: hi")
        store.resetFullState(["Int": 7])
        #expect(store.state.description == "Int: 7")
        #expect(trace.lines == [])
    }

    @Test func `a reset from a listener waits for the action in work`() {
        store.addListener(forStateType: Int.self) { [weak store] _ in store?.reset(state: 50) }
        store.addListener(callback: told("all"))
        store.dispatch(action: Add(1))
        #expect(trace.lines == ["all Int: 1, word: "])
        #expect(store.state.number == 50)
    }

    @Test func `a store may start with given entries or with one value`() {
        let entries = Suas.createStore(reducer: Number() + Word(), state: ["Int": 4, "word": "x"])
        #expect(entries.state.description == "Int: 4, word: x")
        #expect(Suas.createStore(reducer: Number(), state: 4).state.description == "Int: 4")
        #expect(Suas.createStore(reducer: Word(), state: "x").state.description == "word: x")
        #expect(Suas.createStore(reducer: Number() + Word(), state: 4).state.description == "Int: 4")
    }
}
