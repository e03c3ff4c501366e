// SPDX-License-Identifier: Apache-2.0

/// Owns the state, and takes actions through middlewares and reducers one at a time, first in, first out.
///
/// For one action:
///
///     1  action listeners   are called, in order of registration
///     2  middlewares        first to last, each up to its call of `next`
///     3  reducers           each reduces its own entry
///     4  listeners          are called after changes, in order of registration
///     5  middlewares        last to first, each from its call of `next` on
///
/// Every method may be called from anywhere. A thread that finds the store idle does the work itself before the method
/// returns; every other caller, including a middleware or a listener of this store, leaves the work at the end of the
/// queue and continues. Middlewares and listeners may rely on the order, never on a thread.
///
/// Created by `Suas.createStore`. A middleware or listener that retains the store itself keeps it forever; reference it
/// weakly.
public final class Store: Sendable {
    /// Does the work; retained by middlewares and subscriptions too.
    let body: StoreBody

    /// Creates a store with this body.
    init(_ body: StoreBody) {
        self.body = body
    }

    /// Releases middlewares and listeners, which may retain the body; later actions are dropped and reported.
    deinit { body.close() }

    /// The state after the last reduced action; callable while another one is being processed.
    public var state: State { body.state }

    /// Takes an action from any thread; never processed inside the store's current work.
    public func dispatch(action: any Action) { body.dispatch(action) }

    /// Replaces the entry named after the value's type, in the store's turn; no listener is called.
    public func reset<Value: Sendable>(state: Value) {
        reset(state: state, forKey: State.key(of: Value.self))
    }

    /// Replaces one entry, or adds it, in the store's turn; no listener is called.
    public func reset<Value: Sendable>(state: Value, forKey key: StateKey) { body.reset { $0[key] = state } }

    /// Replaces all entries, in the store's turn; no listener is called.
    public func resetFullState(_ state: KeyedState) { body.reset { $0 = state } }
}
