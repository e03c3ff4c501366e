// SPDX-License-Identifier: Apache-2.0

/// Ends the notifications of a state listener on request, but not when released; callable from any thread.
public struct Subscription<Value>: Sendable {
    /// The subscription that removes the listener when it ends.
    let end: ActionSubscription
    /// Calls the callback with its value, if the state has it.
    let inform: @Sendable (State) -> Void

    /// Calls the callback in the store's turn with the state at that moment, whatever the filter says and even after
    /// the listener was removed; does nothing if the state has no such value, or the store is gone.
    public func informWithCurrentState() { end.body?.inform(inform) }

    /// Removes the listener; see `ActionSubscription.removeListener`.
    public func removeListener() { end.removeListener() }

    /// Removes the listener when the object is deallocated; if linked to several, at the first of them.
    public func linkLifeCycleTo(object: some AnyObject & Sendable) { end.linkLifeCycleTo(object: object) }
}
