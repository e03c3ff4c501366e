// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(5)))
struct GateStatusTests {
    private let trace = Trace()

    /// A probe whose gate is moved by -1 and -2, or stands open while the state is positive.
    private func gated(byState: Bool, onClose: GateClosing = .keep) -> GatedMiddleware<Probe> {
        let probe = Probe(name: "a", trace: trace) { $0 > 50 ? [] : [100 + $0] }
        return byState
            ? probe.gated(stateMap: { $0 > 0 }, onClose: onClose)
            : probe.gated(
                controlActionMap: { $0 < 0 ? $0 : nil }, turnOn: -1, turnOff: -2, default: .active,
                onClose: onClose)
    }

    /// A store whose state is the last action below 50.
    private func store(_ gated: sending GatedMiddleware<Probe>) -> Store<Int, Int> {
        Store(initialState: 1, reducer: .reduce { if $0 < 50 { $1 = $0 } }, middleware: gated)
    }

    @Test
    func `a gate by action tells each change once, after the middleware was told, before it sees the action`()
    {
        let (trace, gated) = (trace, gated(byState: false, onClose: .cancel))
        let subscription = gated.status.onChange { trace.add("told \($0)") }
        let store = store(gated)
        for action in [-2, -2, -1] { store.dispatch(action) }
        #expect(
            trace.lines.filter { !$0.contains("io") } == [
                "a cancelled", "a gate bypass", "told bypass", "a handle -2 (1)",
                "a handle -2 (-2)",
                "a gate active", "told active", "a handle -1 (-2)", "a handle 99 (-1)",
            ])
        subscription.cancel()
    }

    @Test func `a gate by state tells a change with the first action after it`() {
        let (trace, gated) = (trace, gated(byState: true))
        let status = gated.status
        let subscription = status.onChange { trace.add("told \($0)") }
        let store = store(gated)
        store.dispatch(-5)
        #expect(status.gate == .active)
        store.dispatch(5)
        #expect(status.gate == .bypass)
        #expect(trace.lines.suffix(2) == ["a gate bypass", "told bypass"])
        store.dispatch(6)
        #expect(status.gate == .active)
        #expect(trace.lines.filter { $0.hasPrefix("told") } == ["told bypass", "told active"])
        subscription.cancel()
    }

    @Test func `where a gate by state stands at the start is told, if it is not open`() {
        let (trace, gated) = (trace, Probe(name: "a", trace: trace).gated(stateMap: { $0 > 1 }))
        let status = gated.status
        let subscription = status.onChange { trace.add("told \($0)") }
        let store = store(gated)
        #expect(trace.lines == ["told bypass"])
        #expect(status.gate == .bypass)
        withExtendedLifetime(store) { subscription.cancel() }
    }

    @Test func `refreshing tells a change at once`() {
        let trace = trace
        let shared = UnsafeShare(gated(byState: true))
        let subscription = shared.value.status.onChange { trace.add("told \($0)") }
        let store = Store<Int, Int>(
            initialState: 1, reducer: .reduce { if $0 < 50 { $1 = $0 } }, middleware: Forward(shared))
        store.dispatch(-5)
        shared.value.refresh()
        #expect(trace.lines.suffix(1) == ["told bypass"])
        subscription.cancel()
    }

    @Test func `dropped outputs can be read from outside`() {
        let gated = gated(byState: false)
        let status = gated.status
        let store = store(gated)
        store.dispatch(-2)
        #expect(status.droppedOutputs == 1)
        store.dispatch(-1)
        #expect(status.droppedOutputs == 1)
        withExtendedLifetime(store) {}
    }

    @Test func `changes begin with where the gate stands, follow in order, and end with the gate`() async {
        func run() -> (GateStatus, AsyncStream<GateState>) {
            let gated = gated(byState: false)
            let (status, changes) = (gated.status, gated.status.changes)
            let store = store(gated)
            for action in [-2, -1, -1, -2] { store.dispatch(action) }
            #expect(status.gate == .bypass)
            return (status, changes)
        }
        let (status, changes) = run()
        var seen: [GateState] = []
        for await change in changes { seen.append(change) }
        #expect(seen == [.active, .bypass, .active, .bypass])
        var late: [GateState] = []
        for await change in status.changes { late.append(change) }
        #expect(late == [.bypass], "a gate that is gone tells where it stood and no more")
    }

    @Test func `observers are told in order of registration, until their subscription goes`() {
        let (trace, gated) = (trace, gated(byState: false))
        let subscriptions = (0..<12).map { index in gated.status.onChange { _ in trace.add("told \(index)") }
        }
        let store = store(gated)
        subscriptions[3].cancel()
        // Optimised code lets the subscriptions go after their last use.
        withExtendedLifetime(subscriptions) { store.dispatch(-2) }
        #expect(
            trace.lines.filter { $0.hasPrefix("told") }
                == (0..<12).filter { $0 != 3 }.map { "told \($0)" })
    }

    @Test func `an observer that another one cancels meanwhile is not told`() {
        let (trace, gated) = (trace, gated(byState: false))
        let second = Kept<Subscription>()
        let first = gated.status.onChange { _ in second.value = nil }
        second.value = gated.status.onChange { trace.add("told \($0)") }
        let store = store(gated)
        store.dispatch(-2)
        #expect(trace.lines.filter { $0.hasPrefix("told") } == [])
        withExtendedLifetime(store) { first.cancel() }
    }

    @Test func `an action dispatched from an observer joins the end of the queue`() {
        let (trace, gated) = (trace, gated(byState: false))
        let own = Weak<Store<Int, Int>>()
        let subscription = gated.status.onChange { _ in own.value?.dispatch(60) }
        let store = store(gated)
        own.value = store
        store.dispatch(-2)
        store.dispatch(-1)
        #expect(
            trace.lines.filter { $0.contains("handle") } == [
                "a handle -2 (1)", "a handle -1 (-2)", "a handle 60 (-1)", "a handle 99 (-1)",
            ])
        subscription.cancel()
    }
}
