// SPDX-License-Identifier: Apache-2.0

import Gatehouse

/// A middleware that writes down what it sees and emits what it is told to.
///
/// Lines are `name handle 3 (0)` before the reducers and `name io 3 (5)` after them, the state in parentheses.
struct Probe: MiddlewareProtocol {
    /// First in each line; also the function of the source of each output.
    let name: String
    /// The trace that takes the lines.
    let trace: Trace
    /// What the IO emits in answer to an action.
    var emits: @Sendable (Int) -> [Int] = { _ in [] }

    func handle(action: Int, from dispatcher: ActionSource, state: GetState<Int>) -> IO<Int> {
        trace.add("\(name) handle \(action) (\(state()))")
        return IO { output in
            trace.add("\(name) io \(action) (\(state()))")
            for value in emits(action) {
                output.dispatch(value, from: ActionSource(file: "probe", function: name, line: 1, info: nil))
            }
        }
    }

    func gateChanged(to gate: GateState) { trace.add("\(name) gate \(gate)") }

    func cancelEffects() { trace.add("\(name) cancelled") }
}

extension ActionSource {
    /// A source with a name, for tests that look at sources.
    static func named(_ name: String) -> ActionSource {
        ActionSource(file: name, function: "", line: 1, info: nil)
    }
}

extension Reducer where ActionType == Int, StateType == Int {
    /// Adds the action to the state.
    static var adding: Reducer { .reduce { action, state in state += action } }
}
