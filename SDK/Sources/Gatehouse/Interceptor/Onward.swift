// SPDX-License-Identifier: Apache-2.0

/// The rest of an action's way after an interceptor: other interceptors, then the middlewares and reducers.
///
/// Interceptors receive a `Next` instead. This is for wrappers of interceptors, and is used in the drain only.
public final class Onward<Action: Sendable> {
    /// The store's drain; nil outside a store.
    public let drain: Drain?
    /// Counts the work that keeps a run open; nil outside a store.
    public let activity: Activity?
    /// Lets the action, or another one, continue; nil keeps the original.
    @usableFromInline let run: (Action?) -> Void
    /// Adds the action to the end of the queue.
    @usableFromInline let queue: (_ action: @escaping () -> Action?, _ body: @escaping () -> Void) -> Void

    /// Creates the rest of a way from two closures; see `pass` and `post`.
    @inlinable
    public init(
        drain: Drain?, activity: Activity?, pass: @escaping (Action?) -> Void,
        post: @escaping (_ action: @escaping () -> Action?, _ body: @escaping () -> Void) -> Void
    ) {
        self.drain = drain
        self.activity = activity
        run = pass
        queue = post
    }

    /// Creates the rest of a way inside a wrapper, in front of another one.
    ///
    /// - Parameters:
    ///   - outer: the other one.
    ///   - late: maps an action passed here, nil for the original, to the outer one; called only to report an action
    ///     that came after the store was gone.
    ///   - pass: continues with an action passed here, nil for the original.
    @inlinable
    public convenience init<Outer: Sendable>(
        before outer: Onward<Outer>, late: @escaping (Action?) -> Outer?, pass: @escaping (Action?) -> Void
    ) {
        // The queue alone: keeping this to post must not keep the whole rest of the way alive.
        let queue = outer.queue
        self.init(
            drain: outer.drain, activity: outer.activity, pass: pass,
            post: { action, body in queue({ late(action()) }, body) })
    }

    /// Only the access to the queue: it leads nowhere itself, and keeps no rest of the way alive.
    public var queueing: Onward { Onward(drain: drain, activity: activity, pass: { _ in }, post: queue) }

    /// Runs the rest of the way at once: with another action, or nil for the original.
    ///
    /// Call it at most once while the action is being processed; later calls must go through `post`.
    @inlinable
    public func pass(_ action: Action?) { run(action) }

    /// Puts work at the end of the store's queue, in which `pass` may be called once.
    ///
    /// - Parameters:
    ///   - action: the action the work is for, nil for the original; called only if the store is gone and the work
    ///     is not done.
    ///   - body: the work; it runs in the drain, or never.
    @inlinable
    public func post(_ action: @escaping () -> Action?, _ body: @escaping () -> Void) { queue(action, body) }
}
