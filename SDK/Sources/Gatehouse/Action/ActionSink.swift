// SPDX-License-Identifier: Apache-2.0

/// The receiving end of an output, reached only while the store that owns it drains.
///
/// Like everything on the path of an action, it holds a closure rather than being subclassed: a closure is specialized
/// for the types at the place that makes it, an overridden method of a generic class is not.
///
/// `@unchecked Sendable`: `drain` and `activity` are constants of `Sendable` type. `receive` may hold state that is not:
/// `AnyActionHandler` brings every emission into the drain before it calls `emit`, so there is one caller at a time. A
/// sink without a drain is called on the emitting thread; its creator must pass a closure that allows that.
public final class ActionSink<Action: Sendable>: @unchecked Sendable {
    /// The drain that emissions run in; nil to run on the emitting thread.
    public let drain: Drain?
    /// Counts the effects that will emit here, so that a run knows when it is over.
    public let activity: Activity?
    /// The function that takes each action.
    @usableFromInline let receive: (DispatchedAction<Action>) -> Void

    /// Creates a sink that belongs to the given drain.
    @inlinable
    public init(drain: Drain?, activity: Activity?, receive: @escaping (DispatchedAction<Action>) -> Void) {
        self.drain = drain
        self.activity = activity
        self.receive = receive
    }

    /// Creates a sink in front of another, in the same drain; `receive` decides what to pass on.
    @inlinable
    public convenience init<ParentAction: Sendable>(
        before parent: ActionSink<ParentAction>, receive: @escaping (DispatchedAction<Action>) -> Void
    ) {
        self.init(drain: parent.drain, activity: parent.activity, receive: receive)
    }

    /// Creates a sink in front of another that maps each action, in the drain.
    @inlinable
    public convenience init<ParentAction: Sendable>(
        mappingTo parent: ActionSink<ParentAction>, _ transform: @escaping (Action) -> ParentAction
    ) {
        self.init(before: parent) { parent.emit($0.map(transform)) }
    }

    /// Takes one action; called in the drain.
    @inlinable
    public func emit(_ action: DispatchedAction<Action>) { receive(action) }
}
