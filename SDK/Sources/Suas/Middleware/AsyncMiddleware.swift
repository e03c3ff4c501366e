// SPDX-License-Identifier: Apache-2.0

/// Executes async actions and hides them from all that follow; other actions pass.
public struct AsyncMiddleware: Middleware, Sendable {
    /// Creates the middleware; it has no settings.
    public init() {}

    public func onAction(
        action: any Action, getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction,
        next: @escaping NextFunction
    ) {
        guard let asyncAction = action as? any AsyncAction else { return next(action) }
        asyncAction.execute(getState: getState, dispatch: dispatch)
    }
}
