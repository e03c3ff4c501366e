// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

@Suite(.timeLimit(.minutes(10)))
struct GatedMiddlewareFormsTests {
    /// Carries control values at key paths.
    struct Action: Sendable {
        var control: Int?
    }

    /// Carries the position of a gate.
    struct State {
        var gate = GateState.active
    }

    typealias Inner = AnyMiddleware<Action, Never, State>

    private let trace = Trace()

    private var inner: Inner {
        Inner { [trace] action, _, _ in
            trace.add("\(action.control.map { "\($0)" } ?? "none")")
            return .pure()
        }
    }

    /// Hands actions and states to a middleware; gives what reached the inner one.
    private func seen(_ gated: GatedMiddleware<Inner>, _ steps: [(Int?, GateState)]) -> [String] {
        for (control, gate) in steps {
            _ = gated.handle(
                action: Action(control: control), from: .named("x"), state: GetState { State(gate: gate) })
        }
        return trace.lines
    }

    @Test func `by action, map and two values`() {
        let gated = GatedMiddleware(
            middleware: inner, controlActionMap: { $0.control }, turnOn: 1, turnOff: 2, default: .bypass)
        #expect(
            seen(gated, [(nil, .active), (1, .active), (nil, .active), (2, .active), (nil, .active)])
                == ["1", "none", "2"])
    }

    @Test func `by action, key path and two values`() {
        let gated = GatedMiddleware(
            middleware: inner, controlAction: \.control, turnOn: 1, turnOff: 2, default: .active)
        #expect(seen(gated, [(nil, .active), (2, .active), (nil, .active)]) == ["none", "2"])
    }

    @Test func `by state, map`() {
        let gated = GatedMiddleware(middleware: inner, stateMap: { (state: State) in state.gate })
        #expect(seen(gated, [(1, .bypass), (2, .active)]) == ["2"])
    }

    @Test func `by state, key path`() {
        let gated = GatedMiddleware(middleware: inner, state: \.gate)
        #expect(seen(gated, [(1, .bypass), (2, .active)]) == ["2"])
    }

    @Test func `a gate in front of a gate: both must be open`() {
        let both = inner.gated(state: \State.gate).gated(
            controlActionMap: { $0.control }, turnOn: 1, turnOff: 2, default: .active)
        func step(_ control: Int?, _ gate: GateState) {
            _ = both.handle(
                action: Action(control: control), from: .named("x"), state: GetState { State(gate: gate) })
        }
        step(nil, .active)
        step(nil, .bypass)
        step(2, .active)
        step(nil, .active)
        #expect(trace.lines == ["none", "2"])
    }
}
