// SPDX-License-Identifier: Apache-2.0

/// What lies behind an interceptor for one action: others, then the middlewares and reducers.
///
/// Interceptors are given a `Next` instead. This is for what wraps interceptors, and is used in the drain only.
public final class Onward<Action: Sendable> {
    /// The store's drain; nil outside a store.
    public let drain: Drain?
    /// Counts what keeps a run open; nil outside a store.
    public let activity: Activity?
    /// Lets the action, or another one, go on; nil keeps the one that came.
    @usableFromInline let run: (Action?) -> Void
    /// Adds the action to the end of the queue.
    @usableFromInline let queue: (_ action: @escaping () -> Action?, _ body: @escaping () -> Void) -> Void

    /// What lies behind, as two closures; see `pass` and `post`.
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

    /// What lies behind something that stands before another.
    ///
    /// - Parameters:
    ///   - outer: what lies behind the other.
    ///   - late: the other's form of an action passed here, nil for the one that came; asked only to tell about an action
    ///     that came after the store was gone.
    ///   - pass: goes on with an action passed here, nil for the one that came.
    @inlinable
    public convenience init<Outer: Sendable>(
        before outer: Onward<Outer>, late: @escaping (Action?) -> Outer?, pass: @escaping (Action?) -> Void
    ) {
        // The queue alone: who keeps this to post must not keep everything that lies behind.
        let queue = outer.queue
        self.init(
            drain: outer.drain, activity: outer.activity, pass: pass,
            post: { action, body in queue({ late(action()) }, body) })
    }

    /// Only the way into the queue: nothing lies behind, and nothing of it is kept alive.
    public var queueing: Onward {
        Onward(drain: drain, activity: activity, pass: { _ in }, post: queue)
    }

    /// Runs what lies behind, at once: with another action, or nil for the one that came.
    ///
    /// Call it at most once while the action is in work; later calls go through `post`.
    @inlinable
    public func pass(_ action: Action?) { run(action) }

    /// Puts work at the end of the store's queue, in which `pass` may be called once.
    ///
    /// - Parameters:
    ///   - action: the action the work is for, nil for the one that came; asked only when the store is gone and the work
    ///     is not done.
    ///   - body: the work; it runs in the drain, or never.
    @inlinable
    public func post(_ action: @escaping () -> Action?, _ body: @escaping () -> Void) { queue(action, body) }
}
