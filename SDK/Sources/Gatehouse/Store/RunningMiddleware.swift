// SPDX-License-Identifier: Apache-2.0

/// A store's middleware and where its outputs go, as one reference.
@usableFromInline
final class RunningMiddleware<Action: Sendable, State> {
    @usableFromInline let middleware: AnyMiddleware<Action, Action, State>
    @usableFromInline let output: AnyActionHandler<Action>

    @inlinable
    init(_ middleware: AnyMiddleware<Action, Action, State>, output: AnyActionHandler<Action>) {
        self.middleware = middleware
        self.output = output
    }
}
