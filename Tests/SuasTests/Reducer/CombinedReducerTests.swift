// SPDX-License-Identifier: Apache-2.0

import Suas
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CombinedReducerTests {
    /// A second reducer of the key `Int`.
    private struct Other: Reducer {
        var initialState: Int = 100

        func reduce(state: Int, action: any Action) -> Int? { state + 1 }
    }

    @Test func `each reducer sees its own entry only`() {
        let store = Suas.createStore(reducer: Number() + Word())
        store.dispatch(action: Add(2))
        store.dispatch(action: Say("hello"))
        #expect(store.state.description == "Int: 2, word: hello")
    }

    @Test
    func `a duplicate key is reported as a value when the store is created, and the first reducer stays`() {
        let problems = Problems()
        let store = Suas.createStore(reducer: Number() + Other() + Word(), onProblem: problems.add)
        #expect(problems.all == [.duplicateKey("Int", kept: "Number", dropped: "Other")])
        store.dispatch(action: Add(2))
        #expect(store.state.number == 2)
    }

    @Test func `a combination names its duplicate keys before there is a store`() {
        #expect((Number() + Word()).problems == [])
        let joined = (Word() + Number()) + (Other() + Word())
        #expect(
            joined.problems == [
                .duplicateKey("Int", kept: "Number", dropped: "Other"),
                .duplicateKey("word", kept: "Word", dropped: "Word"),
            ])
    }

    @Test func `a combination that ends up with one key keeps its state a plain value`() {
        let problems = Problems()
        let store = Suas.createStore(reducer: Number() + Number(), onProblem: problems.add)
        store.dispatch(action: Add(2))
        #expect(store.state.value(forKey: "Int") as? Int == 2)
        #expect(store.state.keys == ["Int"])
        let single = Suas.createStore(reducer: CombinedReducer(Number()))
        single.dispatch(action: Add(3))
        #expect(single.state.number == 3)
    }

    @Test func `a combination tells which keys have changed, in its order, and what it could not reduce`() {
        let reducer = Number() + Word()
        var entries = reducer.initialState
        #expect(reducer.reduce(&entries, Say("hello")).changedKeys == ["word"])
        #expect(reducer.reduce(&entries, Add(3)).changedKeys == ["Int"])
        entries["word"] = nil
        let result = reducer.reduce(&entries, Add(2))
        #expect(result.changedKeys == ["Int"])
        #expect(result.problems == [.missingState(key: "word")])
        #expect(entries["Int"] as? Int == 5)
        #expect(reducer.reduce(state: entries, action: Say("")) == nil)
    }

    @Test func `plus leaves both operands as they were`() {
        let left = Number() + Word()
        let right = CombinedReducer(BlockReducer(initialState: 1.5) { _, _ in nil })
        let joined = left + right
        #expect(joined.initialState.keys.sorted() == ["Double", "Int", "word"])
        #expect(left.initialState.keys.sorted() == ["Int", "word"])
        #expect(right.initialState.keys.sorted() == ["Double"])
        #expect(joined.stateKey == "Int+word+Double")
    }

    @Test func `a combination reduces outside a store, nil for unchanged`() {
        let both = Number() + Word()
        let state = both.initialState
        #expect(both.reduce(state: state, action: Add(0)) == nil)
        #expect(both.reduce(state: state, action: Add(4))?["Int"] as? Int == 4)
        #expect(both.reduce(state: [:], action: Add(4)) == nil)
    }

    @Test func `a value of the wrong type is kept, reported once, and does not count as changed`() {
        let problems = Problems()
        let trace = Trace()
        let store = Suas.createStore(
            reducer: Number() + Word(), state: ["Int": "text", "word": ""], onProblem: problems.add)
        store.addListener(forStateType: String.self, stateKey: "Int") { trace.add($0) }
        store.dispatch(action: Add(1))
        store.dispatch(action: Add(1))
        #expect(store.state["Int"] as? String == "text")
        #expect(trace.lines == [])
        #expect(problems.all == [.wrongStateType(key: "Int", expected: "Int", found: "String")])
        store.reset(state: 5)
        store.dispatch(action: Add(1))
        #expect(store.state.number == 6)
    }

    @Test func `a missing entry is reported once until a reset`() {
        let problems = Problems()
        let store = Suas.createStore(reducer: Number() + Word(), state: ["word": ""], onProblem: problems.add)
        store.dispatch(action: Add(1))
        store.dispatch(action: Add(1))
        #expect(problems.all == [.missingState(key: "Int")])
        store.resetFullState(["word": "again"])
        store.dispatch(action: Add(1))
        #expect(problems.all == [.missingState(key: "Int"), .missingState(key: "Int")])
    }
}
