// SPDX-License-Identifier: Apache-2.0

/// Executes async actions and keeps them from everything behind itself; other actions pass.
public struct AsyncMiddleware: Middleware, Sendable {
    /// The middleware; it has no settings.
    public init() {}

    public func onAction(
        action: any Action, getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction,
        next: @escaping NextFunction
    ) {
        guard let asyncAction = action as? any AsyncAction else { return next(action) }
        asyncAction.execute(getState: getState, dispatch: dispatch)
    }
}
