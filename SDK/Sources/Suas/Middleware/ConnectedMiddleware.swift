// SPDX-License-Identifier: Apache-2.0

/// A middleware that keeps the store's functions as properties instead of taking them as parameters.
///
/// The store sets `api` once, when it is created, and `next` ahead of each action. Write either method:
/// `onAction(action:)`, or the longer one of `Middleware`; the properties are set for both.
public protocol ConnectedMiddleware: Middleware, AnyObject {
    /// State and dispatch of the store; nil until a store takes the middleware.
    var api: MiddlewareAPI? { get set }
    /// Hands on the action in work; nil before the first one. See `NextFunction` for late calls.
    var next: NextFunction? { get set }

    /// Decides about one action, as `Middleware` says; lets it pass unless written.
    func onAction(action: any Action)
}

extension ConnectedMiddleware {
    /// Lets the action pass.
    public func onAction(action: any Action) { next?(action) }

    /// Leaves the decision to `onAction(action:)`.
    public func onAction(
        action: any Action, getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction,
        next: @escaping NextFunction
    ) {
        onAction(action: action)
    }
}
