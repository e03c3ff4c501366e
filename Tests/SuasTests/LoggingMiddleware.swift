// SPDX-License-Identifier: Apache-2.0

import Suas

/// Writes each action, and the state before and after; the logger of the documents.
class LoggingMiddleware: Middleware {
    var api: MiddlewareAPI?
    var next: DispatchFunction?
    let output: @Sendable (String) -> Void

    init(output: @escaping @Sendable (String) -> Void) { self.output = output }

    func onAction(
        action: any Action, getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction,
        next: @escaping NextFunction
    ) {
        // Read the state before any reducer changes it.
        output("The old state is \(getState())")
        output("The action is \(action)")
        // Not calling `next` would keep the action from the reducers.
        self.next?(action)
        // Read the state after the reducers changed it.
        output("The new state is \(api.map { "\($0.state)" } ?? "gone")")
    }
}
