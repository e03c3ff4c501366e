// SPDX-License-Identifier: Apache-2.0

/// A middleware made of a closure.
///
/// ```swift
/// let noting = BlockMiddleware { action, getState, _, next in
///     trace.add("before \(action): \(getState().number)")
///     next(action)
///     trace.add("after \(action): \(getState().number)")
/// }
/// ```
public struct BlockMiddleware: Middleware {
    /// Called with each action; decides by calling `next` or not.
    private let actionFunction: MiddlewareFunction

    /// A middleware that does what the closure does; see `Middleware`.
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
