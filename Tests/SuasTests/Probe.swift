// SPDX-License-Identifier: Apache-2.0

import Suas

/// A middleware that writes down each action and the number, before and after, and lets it pass.
///
/// Lines are `name before +1 (0)` and `name after +1 (1)`, the number in parentheses.
struct Probe: Middleware, Sendable {
    /// First in each line.
    let name: String
    /// The trace that takes the lines.
    let trace: Trace

    func onAction(
        action: any Action, getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction,
        next: @escaping NextFunction
    ) {
        trace.add("\(name) before \(action) (\(getState().number))")
        next(action)
        trace.add("\(name) after \(action) (\(getState().number))")
    }
}

extension State {
    /// The entry of `Number`, -1 if there is none.
    var number: Int { value(forKeyOfType: Int.self) ?? -1 }
}
