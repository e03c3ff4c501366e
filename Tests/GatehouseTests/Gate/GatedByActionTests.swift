// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct GatedByActionTests {
    /// Control actions; ordinary ones are positive.
    private static let on = -1, off = -2, other = -3

    private let trace = Trace()
    private let kept = Kept<AnyActionHandler<Int>>()

    /// A middleware behind a gate: writes down what it sees, answers each action by 100 more, keeps its output.
    private func gated(default gate: GateState, onClose: GateClosing = .keep) -> GatedMiddleware<Probe> {
        Probe(name: "a", trace: trace) { [100 + $0] }
            .gated(
                controlActionMap: { $0 < 0 ? $0 : nil }, turnOn: Self.on, turnOff: Self.off, default: gate,
                onClose: onClose)
    }

    /// A store around the gated middleware that writes down the outputs it reduces.
    private func store<Middleware: MiddlewareProtocol<Int, Int, Int>>(_ gated: sending Middleware) -> Store<
        Int, Int
    > {
        let trace = trace
        return Store(
            initialState: 0,
            reducer: .reduce { action, _ in if action > 50 { trace.add("output \(action)") } },
            middleware: gated.lift(inputAction: { (action: Int) in action > 50 ? nil : action }))
    }

    /// What happens when one action goes through the gated middleware.
    private func run(_ gated: sending GatedMiddleware<Probe>, _ action: Int) -> [String] {
        let store = store(gated)
        store.dispatch(action)
        return withExtendedLifetime(store) { trace.lines }
    }

    @Test func `a closed gate shows the middleware nothing, before or after the reducer`() {
        #expect(run(gated(default: .bypass), 1) == [])
    }

    @Test func `an open gate lets actions in and outputs out`() {
        #expect(run(gated(default: .active), 1) == ["a handle 1 (0)", "a io 1 (0)", "output 101"])
    }

    @Test func `a turn-off action reaches the middleware, but nothing it emits passes`() {
        #expect(
            run(gated(default: .active), Self.off) == ["a gate bypass", "a handle -2 (0)", "a io -2 (0)"])
    }

    @Test func `a turn-on action changes the gate before the middleware sees it, and its outputs pass`() {
        #expect(
            run(gated(default: .bypass), Self.on) == [
                "a gate active", "a handle -1 (0)", "a io -1 (0)", "output 99",
            ])
    }

    @Test func `a control action that is neither reaches a bypassed middleware, its outputs are dropped`() {
        #expect(run(gated(default: .bypass), Self.other) == ["a handle -3 (0)", "a io -3 (0)"])
    }

    @Test func `a control action that is neither leaves an open gate open`() {
        #expect(run(gated(default: .active), Self.other) == ["a handle -3 (0)", "a io -3 (0)", "output 97"])
    }

    @Test func `turnOn is compared first: with equal values the gate can only open`() {
        let same = Probe(name: "a", trace: trace)
            .gated(controlActionMap: { $0 < 0 ? $0 : nil }, turnOn: -1, turnOff: -1, default: .bypass)
        let store = store(same)
        store.dispatch(-1)
        store.dispatch(-1)
        #expect(trace.lines.filter { $0.contains("gate") } == ["a gate active"])
    }

    @Test func `outputs while closed are dropped and counted`() {
        let counted = UnsafeShare(
            Probe(name: "a", trace: trace) { [$0 + 100, $0 + 200] }
                .gated(controlActionMap: { $0 < 0 ? $0 : nil }, turnOn: -1, turnOff: -2, default: .active))
        let store = store(Forward(counted))
        store.dispatch(-2)
        #expect(counted.value.droppedOutputs == 2)
        store.dispatch(-1)
        store.dispatch(1)
        #expect(counted.value.droppedOutputs == 2)
        #expect(counted.value.gate == .active)
    }

    /// A middleware behind a gate whose outputs the test makes itself, one kept handler for each action.
    private func late(_ handlers: [Int: Kept<AnyActionHandler<Int>>]) -> Store<Int, Int> {
        let trace = trace
        let keeping = AnyMiddleware<Int, Int, Int> { action, _, _ in
            trace.add("handle \(action)")
            return IO { handlers[action]?.value = $0 }
        }
        return store(
            keeping.gated(controlActionMap: { $0 < 0 ? $0 : nil }, turnOn: -1, turnOff: -2, default: .bypass))
    }

    @Test func `the gate check is a pure look: a late output of a turn-on action does not reopen the gate`() {
        let turnOn = Kept<AnyActionHandler<Int>>()
        let store = late([-1: turnOn])
        store.dispatch(Self.on)
        store.dispatch(Self.off)
        turnOn.value?.dispatch(101)
        store.dispatch(1)
        #expect(trace.lines == ["handle -1", "handle -2"])
    }

    @Test
    func `the gate check is a pure look: a late output of a turn-off action does not close a reopened gate`()
    {
        let turnOff = Kept<AnyActionHandler<Int>>()
        let store = late([-2: turnOff])
        store.dispatch(Self.off)
        store.dispatch(Self.on)
        turnOff.value?.dispatch(101)
        store.dispatch(1)
        #expect(trace.lines == ["handle -2", "handle -1", "output 101", "handle 1"])
    }

    @Test func `late outputs are dropped while the gate is closed and flow again after it reopens`() {
        let ordinary = Kept<AnyActionHandler<Int>>()
        let store = late([1: ordinary])
        store.dispatch(Self.on)
        store.dispatch(1)
        store.dispatch(Self.off)
        ordinary.value?.dispatch(101)
        store.dispatch(Self.on)
        ordinary.value?.dispatch(102)
        #expect(trace.lines.filter { $0.hasPrefix("output") } == ["output 102"])
    }

    @Test func `an answer kept while the next action is handled stays as it is`() {
        let gated = gated(default: .active)
        let state = GetState { 0 }
        let first = gated.handle(action: 1, from: .named("x"), state: state)
        let second = gated.handle(action: 2, from: .named("x"), state: state)
        let outputs = Trace()
        for io in [first, second, first] { io.run { outputs.add("\($0.action)") } }
        #expect(outputs.lines == ["101", "102", "101"])
    }

    @Test func `the middleware is told about changes, once each`() {
        let store = store(gated(default: .active))
        for action in [Self.on, Self.off, Self.off, Self.on] { store.dispatch(action) }
        #expect(trace.lines.filter { $0.contains("gate") } == ["a gate bypass", "a gate active"])
    }

    @Test func `onClose cancel cancels what runs before the turn-off action is seen, keep does not`() {
        #expect(
            run(gated(default: .active, onClose: .cancel), Self.off) == [
                "a cancelled", "a gate bypass", "a handle -2 (0)", "a io -2 (0)",
            ])
        let opening = Trace()
        let opened = store(
            Probe(name: "o", trace: opening).gated(
                controlActionMap: { $0 < 0 ? $0 : nil }, turnOn: -1, turnOff: -2, default: .bypass,
                onClose: .cancel))
        opened.dispatch(Self.on)
        #expect(opening.lines.first == "o gate active", "opening cancels nothing")
        let other = Trace()
        let keeping = Probe(name: "k", trace: other)
            .gated(controlActionMap: { $0 < 0 ? $0 : nil }, turnOn: -1, turnOff: -2, default: .active)
        let store = store(keeping)
        store.dispatch(Self.off)
        #expect(!other.lines.contains("k cancelled"))
    }

    @Test func `an inner gate misses its control actions while the outer one is closed`() {
        let inner = Probe(name: "a", trace: trace)
            .gated(controlActionMap: { $0 == -1 ? true : $0 == -2 ? false : nil }, default: .active)
        let outer = inner.gated(
            controlActionMap: { $0 == -3 ? true : $0 == -4 ? false : nil }, default: .active)
        let store = store(outer)
        for action in [-4, -2, 1, -3, 1] { store.dispatch(action) }
        #expect(
            trace.lines.filter { !$0.contains("io") } == [
                "a gate bypass", "a handle -4 (0)", "a gate active", "a handle -3 (0)", "a handle 1 (0)",
            ])
    }

    @Test func `a gate inside a lift sees local actions: one mapped to nil never reaches it`() {
        let gate = gated(default: .active)
        let store = Store<Int, Int>(
            initialState: 0, reducer: .identity,
            middleware: gate.lift(inputAction: { (action: Int) in
                action == Self.off || action > 50 ? nil : action
            }))
        store.dispatch(Self.off)
        store.dispatch(1)
        #expect(trace.lines == ["a handle 1 (0)", "a io 1 (0)"])
    }

    @Test func `a gated composition is switched as one and not flattened`() {
        let both = Probe(name: "a", trace: trace) <> Probe(name: "b", trace: trace)
        let gated = both.gated(
            controlActionMap: { $0 < 0 ? $0 : nil }, turnOn: -1, turnOff: -2, default: .bypass)
        #expect((gated <> Probe(name: "c", trace: trace)).members.count == 2)
        let store = store(gated)
        store.dispatch(1)
        #expect(trace.lines == [])
        store.dispatch(-1)
        #expect(
            trace.lines.suffix(4) == ["a handle -1 (0)", "b handle -1 (0)", "b io -1 (0)", "a io -1 (0)"])
    }
}
