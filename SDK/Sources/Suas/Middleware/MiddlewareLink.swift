// SPDX-License-Identifier: Apache-2.0

/// One middleware in a store's row.
struct MiddlewareLink {
    /// The link's middleware, connected to the store.
    private let middleware: any Middleware

    /// Connects the middleware to a store.
    init(_ middleware: any Middleware, api: MiddlewareAPI) {
        var connected = middleware
        connected.api = api
        self.middleware = connected
    }

    /// Lets the middleware decide.
    func handle(_ action: any Action, api: MiddlewareAPI, next: @escaping NextFunction) {
        var middleware = middleware
        middleware.next = next
        middleware.onAction(
            action: action, getState: api.getState, dispatch: { api.dispatch(action: $0) }, next: next)
    }
}
