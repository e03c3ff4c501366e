// SPDX-License-Identifier: Apache-2.0

/// The receiving end of an output, reached only while the store that owns it drains.
///
/// Subclasses may keep state and closures that are not `Sendable`: `AnyActionHandler` brings every emission into the
/// drain before it calls `emit`. A sink without a drain is called on the emitting thread.
///
/// `@unchecked Sendable`: `drain` and `activity` are constants of `Sendable` type, and everything a subclass adds is
/// touched only inside `emit`, which runs in the drain, one caller at a time. A subclass made without a drain must be
/// safe to call from any thread by itself.
open class ActionSink<Action: Sendable>: @unchecked Sendable {
    /// The drain that emissions are brought into, or nil to run on the emitting thread.
    public final let drain: Drain?
    /// Counts the effects that will emit here, so that a run knows when it is over.
    public final let activity: Activity?

    /// A sink that belongs to the given drain.
    @inlinable
    public init(drain: Drain?, activity: Activity?) {
        self.drain = drain
        self.activity = activity
    }

    /// Takes one action; called in the drain. Subclasses must override.
    open func emit(_ action: DispatchedAction<Action>) {
        preconditionFailure("ActionSink.emit must be overridden")
    }
}
