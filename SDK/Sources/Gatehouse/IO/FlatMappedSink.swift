// SPDX-License-Identifier: Apache-2.0

/// A sink that turns each action into work and runs it at once.
///
/// `@unchecked Sendable` (inherited): what is added here is constant and touched only in `emit`; see `ActionSink`.
@usableFromInline
final class FlatMappedSink<Action: Sendable, ParentAction: Sendable>:
    ActionSink<Action>, @unchecked Sendable
{
    /// Takes what the work emits.
    @usableFromInline let parent: ActionSink<ParentAction>
    /// Runs in the drain.
    @usableFromInline let transform: (DispatchedAction<Action>) -> IO<ParentAction>

    /// A sink in front of another, in the same drain.
    @inlinable
    init(parent: ActionSink<ParentAction>, transform: @escaping (DispatchedAction<Action>) -> IO<ParentAction>) {
        self.parent = parent
        self.transform = transform
        super.init(drain: parent.drain, activity: parent.activity)
    }

    @inlinable
    override func emit(_ action: DispatchedAction<Action>) {
        transform(action).run(AnyActionHandler(parent))
    }
}
