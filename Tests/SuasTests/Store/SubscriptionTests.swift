// SPDX-License-Identifier: Apache-2.0

import Suas
import Testing

@Suite(.timeLimit(.minutes(10)))
struct SubscriptionTests {
    /// Something a listener is linked to.
    private final class Owner: Sendable {}

    private let trace = Trace()
    private let store = Suas.createStore(reducer: Number())

    /// A listener that writes down the number.
    private func listen() -> Subscription<Int> {
        store.addListener(forStateType: Int.self, if: { _, _ in true }) { [trace] in trace.add("\($0)") }
    }

    @Test func `letting go of a subscription does not end it`() {
        _ = listen()
        store.dispatch(action: Add(1))
        #expect(trace.lines == ["1"])
    }

    @Test func `a removed listener is not told, however often it is removed`() {
        let subscription = listen()
        subscription.removeListener()
        subscription.removeListener()
        store.dispatch(action: Add(1))
        #expect(trace.lines == [])
    }

    @Test func `a removed action listener is not told`() {
        let subscription = store.addActionListener { [trace] in trace.add("\($0)") }
        store.dispatch(action: Add(1))
        subscription.removeListener()
        store.dispatch(action: Add(2))
        #expect(trace.lines == ["+1"])
    }

    @Test func `a listener removed by one before it is not told any more, in the round under way`() {
        let kept = Kept<Subscription<Int>>()
        store.addListener(forStateType: Int.self) { _ in kept.value?.removeListener() }
        kept.value = listen()
        store.dispatch(action: Add(1))
        #expect(trace.lines == [])
    }

    @Test func `a linked listener ends with the first of its objects`() {
        let subscription = listen()
        var short: Owner? = Owner()
        let long = Owner()
        if let short { subscription.linkLifeCycleTo(object: short) }
        subscription.linkLifeCycleTo(object: long)
        store.dispatch(action: Add(1))
        short = nil
        store.dispatch(action: Add(1))
        #expect(trace.lines == ["1"])
        withExtendedLifetime(long) {}
    }

    @Test func `a linked action listener ends with its object`() {
        var owner: Owner? = Owner()
        let subscription = store.addActionListener { [trace] in trace.add("\($0)") }
        if let owner { subscription.linkLifeCycleTo(object: owner) }
        store.dispatch(action: Add(1))
        owner = nil
        store.dispatch(action: Add(2))
        #expect(trace.lines == ["+1"])
    }

    @Test(.timeLimit(.minutes(1)))
    func `a hundred thousand listeners whose objects are gone hear nothing, and go with what they hold`() {
        weak var ofLast: Owner?
        for number in 0..<50_000 {
            let (owner, held) = (Owner(), Owner())
            ofLast = held
            store.addListener(forStateType: Int.self) { [trace] _ in
                trace.add("\(number)")
                withExtendedLifetime(held) {}
            }.linkLifeCycleTo(object: owner)
            store.addActionListener { [trace] _ in
                trace.add("\(number)")
                withExtendedLifetime(held) {}
            }.linkLifeCycleTo(object: owner)
        }
        #expect(ofLast != nil)
        for _ in 0..<10_000 { store.dispatch(action: Add(1)) }
        #expect(trace.lines == [])
        #expect(ofLast == nil)
    }

    @Test func `listeners whose objects are gone go when others come, too`() {
        weak var ofFirst: Owner?
        for number in 0..<100 {
            let (owner, held) = (Owner(), Owner())
            if number == 0 { ofFirst = held }
            store.addListener { _ in withExtendedLifetime(held) {} }.linkLifeCycleTo(object: owner)
        }
        #expect(ofFirst == nil)
    }

    @Test func `informWithCurrentState asks no filter and works after the removal`() {
        let subscription = store.addListener(forStateType: Int.self, if: { _, _ in false }) { [trace] in
            trace.add("\($0)")
        }
        store.dispatch(action: Add(1))
        subscription.informWithCurrentState()
        subscription.removeListener()
        store.dispatch(action: Add(1))
        subscription.informWithCurrentState()
        #expect(trace.lines == ["1", "2"])
    }

    @Test func `informWithCurrentState does nothing without the value`() {
        let subscription = store.addListener(forStateType: String.self) { [trace] in trace.add($0) }
        subscription.informWithCurrentState()
        #expect(trace.lines == [])
    }

    @Test func `informWithCurrentState in a callback waits for the round to end`() {
        let kept = Kept<Subscription<Int>>()
        kept.value = store.addListener(forStateType: Int.self) { [trace] number in
            let isFirst = trace.lines.isEmpty
            trace.add("begin \(number)")
            if isFirst { kept.value?.informWithCurrentState() }
            trace.add("end \(number)")
        }
        store.dispatch(action: Add(1))
        #expect(trace.lines == ["begin 1", "end 1", "begin 1", "end 1"])
    }

    @Test func `a callback that informs itself for ever is cut`() {
        let problems = Problems()
        let store = Suas.createStore(reducer: Number(), maximumChain: 3, onProblem: problems.add)
        let kept = Kept<Subscription<Int>>()
        kept.value = store.addListener(forStateType: Int.self) { [trace] number in
            trace.add("\(number)")
            kept.value?.informWithCurrentState()
        }
        store.dispatch(action: Add(1))
        #expect(trace.lines == ["1", "1", "1", "1"])
        let inform = "informWithCurrentState"
        #expect(
            problems.all == [.dispatchLoop(limit: 3, recent: [inform, inform, inform, inform], dropped: 1)])
    }
}
