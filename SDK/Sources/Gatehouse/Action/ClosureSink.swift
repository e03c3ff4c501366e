// SPDX-License-Identifier: Apache-2.0

/// A sink that runs a closure: in a store's drain, or on the emitting thread when it belongs to none.
///
/// `@unchecked Sendable` (inherited): what is added here is constant and touched only in `emit`; see `ActionSink`.
@usableFromInline
final class ClosureSink<Action: Sendable>: ActionSink<Action>, @unchecked Sendable {
    /// Called for each action.
    @usableFromInline let handle: @Sendable (DispatchedAction<Action>) -> Void

    /// A sink around a closure that is safe to call from any thread.
    @inlinable
    init(drain: Drain? = nil, _ handle: @escaping @Sendable (DispatchedAction<Action>) -> Void) {
        self.handle = handle
        super.init(drain: drain, activity: nil)
    }

    @inlinable
    override func emit(_ action: DispatchedAction<Action>) { handle(action) }
}
