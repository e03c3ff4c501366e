// SPDX-License-Identifier: Apache-2.0

/// Stands between dispatch and the reducers, and decides what becomes of each action.
///
/// Code before `next` runs first to last and sees the state before; code after it runs last to first and sees the state
/// after. A middleware belongs to its store, which calls it for one action at a time, on no particular thread.
public protocol Middleware: MiddlewareComponent {
    /// Decides about one action.
    ///
    /// Call `next` with the action to let it pass, with another one to replace it, not at all to swallow it, later to
    /// delay it. Each call is one pass through the rest of the chain: two calls reduce twice.
    func onAction(
        action: any Action, getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction,
        next: @escaping NextFunction)
}

extension Middleware {
    /// The middleware alone.
    public var members: [any Middleware] { [self] }
}
