// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Observation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ObservableViewModelTests {
    private let trace = Trace()
    private let store = Store<Int, Int>(initialState: 5, reducer: .adding)

    /// Writes down the state that is seen when the next change is announced.
    private func track(_ model: ObservableViewModel<Int, Int>) {
        withObservationTracking {
            _ = model.state
        } onChange: { [trace] in
            trace.add("change at \(model.state)")
        }
    }

    @Test func `the store's state replaces the initial one at once`() {
        #expect(store.asObservableViewModel(initialState: 0).state == 5)
    }

    @Test func `a change is announced once, before the assignment`() {
        let model = store.asObservableViewModel(initialState: 0)
        track(model)
        #expect(trace.lines == [], "not when it begins")
        store.dispatch(1)
        #expect(trace.lines == ["change at 5"])
        #expect(model.state == 6)
        store.dispatch(1)
        #expect(trace.lines == ["change at 5"])
        #expect(model.state == 7)
    }

    @Test func `equal states are not announced`() {
        let model = store.asObservableViewModel(initialState: 0)
        track(model)
        store.dispatch(0)
        #expect(trace.lines == [])
    }

    @Test func `the policy decides which changes are taken over`() {
        let never = store.asObservableViewModel(initialState: 0, emitsValue: .never)
        let always = store.asObservableViewModel(initialState: 0, emitsValue: .always)
        track(always)
        store.dispatch(0)
        #expect(trace.lines == ["change at 5"])
        store.dispatch(1)
        #expect(never.state == 5)
        #expect(always.state == 6)
    }

    @Test func `it dispatches, observes and reads through the store it was made from`() {
        let model = store.projection(action: { (text: String) in Int(text) }, state: { "<\($0)>" })
            .asObservableViewModel(initialState: "")
        let subscription = model.observe(.always) { [trace] in trace.add($0) }
        model.dispatch("2")
        model.dispatch("x")
        #expect(model.state == "<7>")
        #expect(trace.lines == ["<7>"])
        model.read { [trace] in trace.add("read \($0)") }
        #expect(trace.lines == ["<7>", "read <7>"])
        subscription.cancel()
    }

    @Test func `the store does not hold it, it holds the store`() {
        var model: ObservableViewModel<Int, Int>? = store.asObservableViewModel(initialState: 0)
        weak let before = model
        model = nil
        #expect(before == nil)
        store.dispatch(1)
        func make() -> ObservableViewModel<Int, Int> {
            Store<Int, Int>(initialState: 1, reducer: .adding).asObservableViewModel(initialState: 0)
        }
        let alone = make()
        alone.dispatch(1)
        #expect(alone.state == 2)
        withExtendedLifetime(model) {}
    }

    @Test func `a mock applies a closure to each action, with its source`() {
        let model = ObservableViewModel<Int, String>.mock(state: "s") { action, source, state in
            state += " \(action) from \(source.file)"
        }
        #expect(model.state == "s")
        model.dispatch(1, from: .named("a"))
        model.dispatch(2, from: .named("b"))
        #expect(model.state == "s 1 from a 2 from b")
    }
}
