// SPDX-License-Identifier: Apache-2.0

/// A middleware made from a closure.
///
/// ```swift
/// let noting = BlockMiddleware { action, getState, _, next in
///     trace.add("before \(action): \(getState().number)")
///     next(action)
///     trace.add("after \(action): \(getState().number)")
/// }
/// ```
public struct BlockMiddleware: Middleware {
    /// Called with each action; it calls `next` or not.
    private let actionFunction: MiddlewareFunction

    /// Creates a middleware from the closure; see `Middleware`.
    public init(actionFunction: @escaping MiddlewareFunction) {
        self.actionFunction = actionFunction
    }

    public func onAction(
        action: any Action, getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction,
        next: @escaping NextFunction
    ) {
        actionFunction(action, getState, dispatch, next)
    }
}
