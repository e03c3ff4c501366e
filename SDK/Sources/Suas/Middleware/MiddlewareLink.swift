// SPDX-License-Identifier: Apache-2.0

/// One middleware in a store's row.
struct MiddlewareLink {
    /// The middleware whose turn this link is.
    private let middleware: any Middleware
    /// The same middleware, if it keeps the store's functions.
    private let connected: (any ConnectedMiddleware)?

    /// Connects the middleware to a store.
    init(_ middleware: any Middleware, api: MiddlewareAPI) {
        self.middleware = middleware
        connected = middleware as? any ConnectedMiddleware
        connected?.api = api
    }

    /// Lets the middleware decide.
    func handle(_ action: any Action, api: MiddlewareAPI, next: @escaping NextFunction) {
        connected?.next = next
        middleware.onAction(
            action: action, getState: api.getState, dispatch: { api.dispatch(action: $0) }, next: next)
    }
}
