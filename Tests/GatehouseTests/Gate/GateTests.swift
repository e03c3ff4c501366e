// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// A gate by itself, with nothing behind it.
@Suite(.timeLimit(.minutes(5)))
struct GateTests {
    private let trace = Trace()

    /// A gate that -1 opens and -2 closes; other negative numbers are control actions that do neither.
    private func gate(_ position: GateState = .active) -> Gate<Int, Int> {
        Gate(controlAction: { $0 < 0 ? $0 : nil }, turnOn: -1, turnOff: -2, default: position)
    }

    /// A gate that is open while the state is positive.
    private func gateByState() -> Gate<Int, Int> { Gate { $0 > 0 ? .active : .bypass } }

    @Test func `moved without an action, a gate stands where it was put, and tells of the change once`() {
        let gate = gate()
        for _ in 0..<2 { gate.move(to: .bypass) { trace.add("told \($0)") } }
        #expect(trace.lines == ["told bypass"])
        #expect(gate.position == .bypass)
        #expect(gate.status.gate == .bypass)
        #expect(!gate.lets(5, pass: GetState { 0 }) { _ in })
        #expect(!gate.letsOutputPass())
        gate.move(to: .active)
        #expect(gate.lets(5, pass: GetState { 0 }) { _ in })
        #expect(gate.letsOutputPass())
        #expect(gate.droppedOutputs == 1)
    }

    @Test func `only the state moves a gate that follows it`() {
        let gate = gateByState()
        gate.move(to: .bypass) { trace.add("told \($0)") }
        #expect(gate.position == .active)
        #expect(trace.lines == [])
    }

    @Test func `a gate by action is moved by its control actions alone, one by state by none`() {
        #expect([-3, -2, -1, 0, 1].map(gate().isMoved) == [true, true, true, false, false])
        #expect(![-2, -1, 1].contains(where: gateByState().isMoved))
    }

    @Test func `a gate by state that has not been started or asked yet has no state to look at`() {
        let gate = gateByState()
        gate.refresh { trace.add("told \($0)") }
        #expect(gate.letsOutputPass())
        #expect(gate.position == .active)
        #expect(trace.lines == [])
    }

    @Test func `a gate by state looks at the store that asked last`() {
        let gate = gateByState()
        gate.start(GetState { 1 })
        #expect(gate.letsOutputPass())
        #expect(!gate.lets(1, pass: GetState { -1 }) { trace.add("told \($0)") })
        #expect(!gate.letsOutputPass())
        gate.refresh { trace.add("again \($0)") }
        #expect(trace.lines == ["told bypass"])
    }

    @Test func `a gate stands where it goes before it tells, and its status is told last`() {
        for gate in [gate(), gateByState()] {
            let subscription = gate.status.onChange { [trace] in trace.add("status \($0)") }
            let isOpen = gate.lets(-2, pass: GetState { -2 }) { wanted in
                trace.add("told \(wanted) at \(gate.position), \(gate.status.gate)")
            }
            #expect(isOpen == gate.isMoved(by: -2))
            subscription.cancel()
        }
        let lines = ["told bypass at bypass, active", "status bypass"]
        #expect(trace.lines == lines + lines)
    }

    @Test func `a gate by state stands by it from the start, and its status too`() {
        let gate = gateByState()
        gate.start(GetState { -1 })
        #expect(gate.position == .bypass)
        #expect(gate.status.gate == .bypass)
        #expect(!gate.letsOutputPass())
        #expect(gate.droppedOutputs == 1)
        #expect(gate.status.droppedOutputs == 1)
    }
}
