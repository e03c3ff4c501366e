// SPDX-License-Identifier: Apache-2.0

/// Owns the state, and takes actions through middlewares and reducers one at a time, first in, first out.
///
/// For one action:
///
///     1  action listeners   hear of it, in order of registration
///     2  middlewares        first to last, each up to its call of `next`
///     3  reducers           each reduces its own entry
///     4  listeners          hear of changes, in order of registration
///     5  middlewares        last to first, each from its call of `next` on
///
/// Every method may be called from anywhere. Whoever finds the store idle does the work on their own thread before the
/// method returns; everybody else, also a middleware or a listener of this store, leaves the work at the end of the queue
/// and goes on. Middlewares and listeners may rely on the order, never on a thread.
///
/// Made by `Suas.createStore`. A middleware or listener that keeps the store itself keeps it for ever; keep it weakly.
public final class Store: Sendable {
    /// What does the work; middlewares and subscriptions hold it too.
    let body: StoreBody

    /// A store with this body.
    init(_ body: StoreBody) {
        self.body = body
    }

    /// Lets go of middlewares and listeners, which may hold the body; later actions are dropped and reported.
    deinit { body.close() }

    /// The state after the last action that was reduced; callable while another is in work.
    public var state: State { body.state }

    /// Takes an action from any thread; never runs inside what the store is doing.
    public func dispatch(action: any Action) { body.dispatch(action) }

    /// Replaces the entry named after the value's type, in the store's turn; no listener hears of it.
    public func reset<Value: Sendable>(state: Value) {
        reset(state: state, forKey: State.key(of: Value.self))
    }

    /// Replaces one entry, or adds it, in the store's turn; no listener hears of it.
    public func reset<Value: Sendable>(state: Value, forKey key: StateKey) {
        body.reset { $0[key] = state }
    }

    /// Replaces all entries, in the store's turn; no listener hears of it.
    public func resetFullState(_ state: KeyedState) {
        body.reset { $0 = state }
    }
}
