// SPDX-License-Identifier: Apache-2.0

/// An action that an interceptor let pass late, waiting for its turn in the queue.
@usableFromInline
final class LatePassage<Action: Sendable> {
    /// The action; asked only to name it.
    @usableFromInline let action: () -> DispatchedAction<Action>
    /// Goes on behind the interceptor.
    @usableFromInline let body: () -> Void

    /// What names the action, and the rest of its way; both are called in the drain.
    @inlinable
    init(action: @escaping () -> DispatchedAction<Action>, body: @escaping () -> Void) {
        self.action = action
        self.body = body
    }
}
