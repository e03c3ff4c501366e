// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StoreObserverTests {
    private let trace = Trace()
    /// Adds; an action of 0 reports `.unchanged`.
    private let store = Store<Int, Int>(
        initialState: 0,
        reducer: .reducing { action, state in
            state += action
            return action == 0 ? .unchanged : .changed
        })

    /// An observer that writes down what it is told.
    private func observe(_ policy: ShouldEmitValue<Int>) -> Subscription {
        store.observe(policy) { [trace] in trace.add("\($0)") }
    }

    @Test func `the emit policy filters notifications only, state is always kept`() {
        let never = observe(.never)
        store.dispatch(3)
        #expect(store.state == 3)
        let picky = observe(.when { $1 > $0 + 5 })
        store.dispatch(1)
        #expect(store.state == 4)
        #expect(trace.lines == [])
        store.dispatch(10)
        #expect(trace.lines == ["14"])
        never.cancel()
        picky.cancel()
    }

    @Test func `unchanged is not told, changed is told even if equal`() {
        let subscription = observe(.always)
        store.dispatch(0)
        #expect(trace.lines == [])
        store.dispatch(2)
        store.dispatch(-2)
        #expect(trace.lines == ["2", "0"])
        subscription.cancel()
    }

    @Test func `the plain form of a reducer means changed`() {
        let store = Store<Int, Int>(initialState: 0, reducer: .adding)
        let subscription = store.observe(.always) { [trace] in trace.add("\($0)") }
        store.dispatch(0)
        #expect(trace.lines == ["0"])
        subscription.cancel()
    }

    @Test func `whenDifferent compares`() {
        let store = Store<Int, Int>(initialState: 0, reducer: .adding)
        let subscription = store.observe(.whenDifferent) { [trace] in trace.add("\($0)") }
        store.dispatch(0)
        store.dispatch(1)
        #expect(trace.lines == ["1"])
        subscription.cancel()
    }

    @Test func `comparison only when an observer asks for it: the state is not copied for others`() {
        let trace = trace
        let store = Store<Int, Buffer>(
            initialState: Buffer(),
            reducer: .reduce { _, state in trace.add(state.isOnlyReference ? "in place" : "copied") })
        let always = store.observe(.always) { _ in }
        store.dispatch(1)
        let comparing = store.observe(.when { _, _ in true }) { _ in }
        store.dispatch(1)
        comparing.cancel()
        store.dispatch(1)
        #expect(trace.lines == ["in place", "copied", "in place"])
        always.cancel()
    }

    @Test func `observers are told in order of registration`() {
        let first = store.observe(.always) { [trace] _ in trace.add("first") }
        let second = store.observe(.always) { [trace] _ in trace.add("second") }
        store.dispatch(1)
        #expect(trace.lines == ["first", "second"])
        first.cancel()
        second.cancel()
    }

    @Test func `a cancelled observer is not told`() {
        let subscription = observe(.always)
        subscription.cancel()
        subscription.cancel()
        store.dispatch(1)
        #expect(trace.lines == [])
    }

    @Test func `an observer goes with its subscription`() {
        var subscription: Subscription? = observe(.always)
        store.dispatch(1)
        #expect(subscription != nil)
        subscription = nil
        store.dispatch(1)
        #expect(trace.lines == ["1"])
    }

    @Test func `an observer cancelled in the drain hears of none of the actions still queued`() {
        let trace = trace
        let held = Held()
        let store = Store<Int, Int>(
            initialState: 0, reducer: .adding,
            middleware: Probe(name: "a", trace: Trace()) { $0 == 1 ? [10, 20] : [] })
        held.subscription = store.observe(.always) { state in
            trace.add("\(state)")
            if state == 11 { held.subscription?.cancel() }
        }
        store.dispatch(1)
        #expect(trace.lines == ["1", "11"])
        #expect(store.state == 31)
    }

    @Test func `an observer registered by an observer hears of the next action`() {
        let trace = trace
        let held = Held()
        let store = store
        let outer = store.observe(.always) { _ in
            if held.subscription == nil {
                held.subscription = store.observe(.always) { trace.add("inner \($0)") }
            }
        }
        store.dispatch(1)
        #expect(trace.lines == [])
        store.dispatch(1)
        #expect(trace.lines == ["inner 2"])
        outer.cancel()
    }

    @Test func `shouldRemove is the opposite of shouldEmit`() {
        for policy in [ShouldEmitValue<Int>.always, .never, .whenDifferent] {
            for new in 0...1 {
                #expect(
                    policy.shouldEmit(previous: 0, new: new) != policy.shouldRemove(previous: 0, new: new))
            }
        }
        #expect(ShouldEmitValue<Int>.always.shouldEmit(previous: 0, new: 0))
        #expect(!ShouldEmitValue<Int>.never.shouldEmit(previous: 0, new: 1))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a hundred thousand observers come and go, in the order of their coming or in any other`() {
        var all = (0..<100_000).map { number in store.observe { [trace] _ in trace.add("\(number)") } }
        let (kept, early) = (all.removeLast(), all[7])
        for index in all.indices where index % 3 == 0 { all[index].cancel() }
        all = all.reversed()
        all.removeAll()
        store.dispatch(1)
        #expect(trace.lines == ["7", "99999"], "those that were kept, in the order in which they came")
        early.cancel()
        let late = store.observe { [trace] _ in trace.add("late") }
        store.dispatch(1)
        #expect(trace.lines.suffix(2) == ["99999", "late"])
        withExtendedLifetime((kept, late)) {}
    }

    @Test func `an observer that has moved up because others went is let go of, too`() {
        final class Content: Sendable {}
        let early = (0..<3).map { _ in store.observe { _ in } }
        weak var content: Content?
        func subscribe() -> Subscription {
            let object = Content()
            content = object
            return store.observe { _ in withExtendedLifetime(object) {} }
        }
        let (last, next) = (subscribe(), observe(.always))
        for subscription in early { subscription.cancel() }
        #expect(content != nil)
        last.cancel()
        #expect(content == nil)
        store.dispatch(1)
        #expect(trace.lines == ["1"])
        withExtendedLifetime(next) {}
    }

    @Test func `what an observer holds may use the store when it goes`() {
        final class Last: Sendable {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
            deinit { body() }
        }
        let (store, trace) = (store, trace)
        let (other, kept) = (observe(.always), Kept<Subscription>())
        func subscribe() -> Subscription {
            let last = Last {
                kept.value = store.observe { trace.add("late \($0)") }
                other.cancel()
                store.dispatch(1)
            }
            return store.observe { _ in withExtendedLifetime(last) {} }
        }
        _ = subscribe()
        store.dispatch(1)
        #expect(trace.lines == ["late 1", "late 2"])
        kept.value = nil
    }
}

/// A state that knows whether a change would have to copy it.
private struct Buffer {
    private final class Storage {}
    private var storage = Storage()

    var isOnlyReference: Bool { mutating get { isKnownUniquelyReferenced(&storage) } }
}

/// Holds a subscription for an observer that must know its own; used by one thread.
private final class Held: @unchecked Sendable {
    // @unchecked Sendable: each test here uses one thread.
    var subscription: Subscription?
}
