// SPDX-License-Identifier: Apache-2.0

/// A sink that maps each action and passes it on to its parent.
///
/// `@unchecked Sendable` (inherited): what is added here is constant and touched only in `emit`; see `ActionSink`.
@usableFromInline
final class MappedSink<Action: Sendable, ParentAction: Sendable>: ActionSink<Action>, @unchecked Sendable {
    /// Takes the mapped actions.
    @usableFromInline let parent: ActionSink<ParentAction>
    /// Runs in the drain.
    @usableFromInline let transform: (Action) -> ParentAction

    /// A sink in front of another, in the same drain.
    @inlinable
    init(parent: ActionSink<ParentAction>, transform: @escaping (Action) -> ParentAction) {
        self.parent = parent
        self.transform = transform
        super.init(drain: parent.drain, activity: parent.activity)
    }

    @inlinable
    override func emit(_ action: DispatchedAction<Action>) { parent.emit(action.map(transform)) }
}
