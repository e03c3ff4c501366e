// SPDX-License-Identifier: Apache-2.0

import Suas
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StateTests {
    private let state: State = ["Int": 3, "name": "Ada"]

    @Test func `entries are found by key, by type, and by both`() {
        #expect(state["name"] as? String == "Ada")
        #expect(state.value(forKey: "name") as? String == "Ada")
        #expect(state.value(forKeyOfType: Int.self) == 3)
        #expect(state.value(forKey: "name", ofType: String.self) == "Ada")
        #expect(state[forKeyOfType: Int.self] == 3)
        #expect(state[forKey: "name", ofType: String.self] == "Ada")
        #expect(state.keys == ["Int", "name"])
    }

    @Test func `a copy is changed by key, and the store's own state stays`() {
        let store = Suas.createStore(reducer: Number())
        var copy = store.state
        copy["Int"] = 5
        copy["name"] = "Ada"
        #expect(copy.description == "Int: 5, name: Ada")
        copy["name"] = nil
        #expect(copy.keys == ["Int"])
        #expect(store.state.number == 0)
        store.resetFullState(["Int": copy["Int"] as? Int ?? 0])
        #expect(store.state.number == 5)
    }

    @Test func `a state is written as a dictionary, or made of one`() {
        let made = State(dictionary: ["Int": 3, "name": "Ada"])
        #expect(made.description == state.description)
        let twice: State = ["a": 1, "a": 2]
        #expect(twice.value(forKey: "a", ofType: Int.self) == 2)
        let none: State = [:]
        #expect(none.keys == [])
    }

    @Test func `a missing entry and one of another type are nil`() {
        #expect(state["age"] == nil)
        #expect(state.value(forKeyOfType: String.self) == nil)
        #expect(state.value(forKey: "name", ofType: Int.self) == nil)
        #expect(state[forKeyOfType: String.self] == nil)
        #expect(state[forKey: "name", ofType: Int.self] == nil)
    }
}
