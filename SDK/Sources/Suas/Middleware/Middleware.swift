// SPDX-License-Identifier: Apache-2.0

/// Decides about each action on its way from dispatch to the reducers.
///
/// Code before `next` runs first to last and sees the state before; code after it runs last to first and sees the state after.
/// A middleware belongs to its store, which calls it for one action at a time, on no particular thread.
///
/// The store sets the properties `api` and `next` of a middleware that has them, with these types. A class may use them
/// anywhere; a structure has them in `onAction`, in the copy that is called.
///
/// ```swift
/// class LoggingMiddleware: Middleware {
///     var api: MiddlewareAPI?
///     var next: DispatchFunction?
///     let output: @Sendable (String) -> Void
///
///     init(output: @escaping @Sendable (String) -> Void) { self.output = output }
///
///     func onAction(
///         action: any Action, getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction,
///         next: @escaping NextFunction
///     ) {
///         // Read the state before any reducer changes it.
///         output("The old state is \(getState())")
///         output("The action is \(action)")
///         // Not calling `next` would keep the action from the reducers.
///         self.next?(action)
///         // Read the state after the reducers changed it.
///         output("The new state is \(api.map { "\($0.state)" } ?? "gone")")
///     }
/// }
/// ```
public protocol Middleware: MiddlewareComponent {
    /// The state and dispatch of the store; nil until the store takes the middleware.
    var api: MiddlewareAPI? { get set }

    /// Passes on the current action; nil before the first one; see `NextFunction` for late calls.
    var next: NextFunction? { get set }

    /// Decides about one action.
    ///
    /// Call `next` with the action to let it pass, with another one to replace it, not at all to swallow it, later to delay it.
    /// Each call is one pass through the rest of the chain: two calls reduce twice.
    func onAction(
        action: any Action, getState: @escaping GetStateFunction, dispatch: @escaping DispatchFunction,
        next: @escaping NextFunction)
}

extension Middleware {
    /// Discards the value, for a middleware without this property.
    public var api: MiddlewareAPI? {
        get { nil }
        set {}
    }

    /// Discards the value, for a middleware without this property.
    public var next: NextFunction? {
        get { nil }
        set {}
    }

    /// The middlewares that this one consists of: itself alone.
    public var members: [any Middleware] { [self] }
}

extension Middleware {
    /// Returns this middleware, connected to a store.
    func connected(to api: MiddlewareAPI) -> Self {
        var connected = self
        connected.api = api
        return connected
    }

    /// Lets the connected middleware decide.
    func handle(_ action: any Action, api: MiddlewareAPI, next: @escaping NextFunction) {
        var middleware = self
        middleware.next = next
        middleware.onAction(
            action: action, getState: api.getState, dispatch: { api.dispatch(action: $0) }, next: next)
    }
}
