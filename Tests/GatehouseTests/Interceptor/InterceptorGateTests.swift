// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct InterceptorGateTests {
    private let trace = Trace()
    private let kept = Kept<Next<Int>>()

    /// Closes at -2, opens at -1.
    private static func gate(_ position: GateState = .active) -> Gate<Int, Int> {
        Gate(
            controlAction: { (action: Int) in action < 0 ? action : nil }, turnOn: -1, turnOff: -2,
            default: position)
    }

    private func store(_ gate: Gate<Int, Int>, _ guarded: Guard) -> Store<Int, Int> {
        Guard.store([guarded.gated(behind: gate)], middleware: [], trace: trace)
    }

    @Test func `a closed gate passes actions by untouched`() {
        let store = store(Self.gate(.bypass), Guard(name: "a", trace: trace, decide: { _ in .stop }))
        store.dispatch(5)
        #expect(trace.lines == ["reduce 5"])
    }

    @Test func `a control action moves the gate first and always reaches the interceptor`() {
        let store = store(Self.gate(), Guard(name: "a", trace: trace))
        for action in [-2, 5, -3, -1, 6] { store.dispatch(action) }
        #expect(
            trace.lines == [
                "a gate bypass", "a before -2 (0)", "reduce -2", "a after -2 (-2)", "reduce 5",
                "a before -3 (3)",
                "reduce -3", "a after -3 (0)", "a gate active", "a before -1 (0)", "reduce -1",
                "a after -1 (-1)",
                "a before 6 (-1)", "reduce 6", "a after 6 (5)",
            ])
    }

    @Test func `a control action reaches an interceptor that would not want to see it`() {
        let store = store(Self.gate(), Guard(name: "a", trace: trace, wants: { $0 > 0 }))
        store.dispatch(-2)
        store.dispatch(5)
        #expect(trace.lines == ["a gate bypass", "reduce -2", "reduce 5"])
    }

    @Test func `behind a gate that follows the state it is asked about its own actions only`() {
        let guarded = Guard(name: "a", trace: trace, wants: { $0 > 5 })
            .gated(behind: Gate(state: { $0 > 0 ? .active : .bypass }))
        #expect(!guarded.concerns(-1))
        #expect(!guarded.concerns(5))
        #expect(guarded.concerns(6))
    }

    @Test func `what it emits while the gate is closed is dropped and counted`() {
        let gate = Self.gate()
        let shared = UnsafeShare(gate)
        let store = store(gate, Guard(name: "a", trace: trace, emits: { $0 < 0 ? [50] : [] }))
        store.dispatch(-2)
        #expect(!trace.lines.contains("reduce 50"))
        #expect(shared.value.droppedOutputs == 1)
        store.dispatch(-1)
        #expect(trace.lines.contains("reduce 50"))
        #expect(shared.value.droppedOutputs == 1)
    }

    @Test(arguments: [nil, 40])
    func `an action in its hands may pass after the gate has closed`(_ changed: Int?) {
        let store = store(
            Self.gate(), Guard(name: "a", trace: trace, kept: kept, decide: { $0 == 7 ? .keep : .pass }))
        store.dispatch(7)
        store.dispatch(-2)
        if let changed { kept.value?(changed) } else { kept.value?() }
        #expect(trace.lines.last == "reduce \(changed ?? 7)")
    }

    @Test func `a gate that follows the state is looked at before each action`() {
        let gate = Gate<Int, Int> { GateState(active: $0 < 10) }
        let store = store(gate, Guard(name: "a", trace: trace))
        for action in [10, 3, -9, 1] { store.dispatch(action) }
        #expect(
            trace.lines == [
                "a before 10 (0)", "reduce 10", "a after 10 (10)", "a gate bypass", "reduce 3", "reduce -9",
                "a gate active", "a before 1 (4)", "reduce 1", "a after 1 (5)",
            ])
    }
}
