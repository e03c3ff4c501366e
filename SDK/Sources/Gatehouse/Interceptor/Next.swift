// SPDX-License-Identifier: Apache-2.0

/// Lets one action continue after the interceptor that received it.
///
/// The first call, made in the drain before `intercept` has returned, runs the rest at once: the following interceptors,
/// the middlewares, the reducers and the observers; it returns when they have run. Every other call - the second, a late
/// one, one from another thread - puts the action at the end of the store's queue; from there it continues after the
/// interceptors it has already passed. Each call is a pass of its own: two calls reduce twice.
///
/// It may be kept and called from any thread. It does not keep a run open; `holdingRun` does. After the store is gone, the
/// action is passed to `StoreHooks.onLateAction`.
@frozen
public struct Next<Action: Sendable>: Sendable {
    /// Knows the action and the rest of its way.
    @usableFromInline let passage: Passage<Action>
    /// Keeps a run open; nil for one that does not.
    @usableFromInline let hold: RunHold?

    /// Creates one for an action at an interceptor; `hold` is released with it.
    @usableFromInline
    init(_ passage: Passage<Action>, hold: RunHold? = nil) {
        self.passage = passage
        self.hold = hold
    }

    /// Creates one that calls a closure on the calling thread, to test an interceptor without a store.
    ///
    /// The closure receives nil for the action as it came.
    public init(_ pass: @escaping @Sendable (Action?) -> Void) {
        self.init(
            Passage(Onward(drain: nil, activity: nil, pass: { pass($0) }, post: { _, body in body() })))
    }

    /// Lets the action pass as it came.
    @inlinable
    public func callAsFunction() { passage.pass(nil, ending: hold) }

    /// Lets another action pass in its place, with the same source.
    @inlinable
    public func callAsFunction(_ action: Action) { passage.pass(action, ending: hold) }

    /// Returns the same, but keeping a run open until it is called or released, and all that follows has been processed.
    ///
    /// Keep this one to delay an action that must not be lost when the input ends meanwhile.
    public func holdingRun() -> Next {
        Next(passage, hold: passage.activity.map { RunHold($0, in: passage.onward.drain) })
    }
}
