// SPDX-License-Identifier: Apache-2.0

/// A store's middleware and interceptors, and where their outputs go, as one reference.
@usableFromInline
final class RunningMiddleware<Action: Sendable, State> {
    /// The middleware of the store, all members composed.
    @usableFromInline let middleware: AnyMiddleware<Action, Action, State>
    /// All interceptors in a row; nil when there is none.
    @usableFromInline let interceptor: AnyInterceptor<Action, State>?
    /// Puts what the middleware emits at the end of the store's queue.
    @usableFromInline let output: AnyActionHandler<Action>

    /// Joins the two for the life of the store.
    @inlinable
    init(
        _ middleware: AnyMiddleware<Action, Action, State>,
        behind interceptor: AnyInterceptor<Action, State>?,
        output: AnyActionHandler<Action>
    ) {
        self.middleware = middleware
        self.interceptor = interceptor
        self.output = output
    }
}
