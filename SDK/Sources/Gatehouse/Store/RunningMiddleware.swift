// SPDX-License-Identifier: Apache-2.0

/// A store's middleware and interceptors, and where their outputs go, as one reference.
@usableFromInline
final class RunningMiddleware<Action: Sendable, State> {
    @usableFromInline let middleware: AnyMiddleware<Action, Action, State>
    /// All interceptors in a row; nil when there is none.
    @usableFromInline let interceptor: AnyInterceptor<Action, State>?
    @usableFromInline let output: AnyActionHandler<Action>

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
