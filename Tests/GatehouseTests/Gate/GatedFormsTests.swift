// SPDX-License-Identifier: Apache-2.0

import Gatehouse
import Testing

/// The ten ways to make a gate; each is driven by the same four steps.
@Suite(.timeLimit(.minutes(10)))
struct GatedFormsTests {
    /// A control value in each of its three spellings, or an ordinary action.
    struct Action: Sendable {
        var word: String?
        var flag: Bool? { word.flatMap { $0 == "on" ? true : $0 == "off" ? false : nil } }
        var gate: GateState? { flag.map { GateState(active: $0) } }
        static let on = Action(word: "on"), off = Action(word: "off"), ordinary = Action(word: nil)
    }

    /// The gate in each of its two spellings.
    struct State: Sendable {
        var flag: Bool
        var gate: GateState { GateState(active: flag) }
    }

    typealias Listener = AnyMiddleware<Action, Action, State>

    private let trace = Trace()

    /// Writes down what reaches it.
    private var listener: Listener {
        AnyMiddleware { [trace] action, _, _ in
            trace.add(action.word ?? "ordinary")
            return .pure()
        }
    }

    /// What reaches the listener of an ordinary action, off, an ordinary one, on, an ordinary one.
    private func drive(_ gated: sending GatedMiddleware<Listener>) -> [String] {
        let store = Store<Action, State>(
            initialState: State(flag: true),
            reducer: .reduce { action, state in if let flag = action.flag { state.flag = flag } },
            middleware: gated)
        for action in [Action.ordinary, .off, .ordinary, .on, .ordinary] { store.dispatch(action) }
        return trace.lines
    }

    /// By action, control actions always pass.
    private let byAction = ["ordinary", "off", "on", "ordinary"]
    /// By state, the action that turns the state on is not seen.
    private let byState = ["ordinary", "off", "ordinary"]

    @Test func `by action, map and two values`() {
        #expect(
            drive(listener.gated(controlActionMap: \.word, turnOn: "on", turnOff: "off", default: .active))
                == byAction)
    }

    @Test func `by action, key path and two values`() {
        #expect(
            drive(listener.gated(controlAction: \Action.word, turnOn: "on", turnOff: "off", default: .active))
                == byAction)
    }

    @Test func `by action, map to Boolean`() {
        #expect(drive(listener.gated(controlActionMap: { $0.flag }, default: .active)) == byAction)
    }

    @Test func `by action, key path to Boolean`() {
        #expect(drive(listener.gated(controlAction: \Action.flag, default: .active)) == byAction)
    }

    @Test func `by action, map to gate state`() {
        #expect(drive(listener.gated(controlActionMap: { $0.gate }, default: .active)) == byAction)
    }

    @Test func `by action, key path to gate state`() {
        #expect(drive(listener.gated(controlAction: \Action.gate, default: .active)) == byAction)
    }

    @Test func `by state, map to gate state`() {
        #expect(drive(listener.gated(stateMap: { $0.gate })) == byState)
    }

    @Test func `by state, key path to gate state`() {
        #expect(drive(listener.gated(state: \State.gate)) == byState)
    }

    @Test func `by state, map to Boolean`() {
        #expect(drive(listener.gated(stateMap: { $0.flag })) == byState)
    }

    @Test func `by state, key path to Boolean`() {
        #expect(drive(listener.gated(state: \State.flag)) == byState)
    }

    @Test func `the default decides before the first control action`() {
        #expect(
            drive(listener.gated(controlActionMap: \.word, turnOn: "on", turnOff: "off", default: .bypass))
                == ["off", "on", "ordinary"])
    }
}
