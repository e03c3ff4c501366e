// SPDX-License-Identifier: Apache-2.0

/// Ends the notifications of an action listener on request, but not when released; callable from any thread.
public struct ActionSubscription: Sendable {
    /// The registration, which the store shares.
    let registration: ListenerRegistration
    /// Weak: a listener that keeps its subscription must not keep the store.
    weak let body: StoreBody?

    /// Removes the listener, any number of times; no notification begins afterwards, not even in a round in
    /// progress.
    ///
    /// On another thread than the store's, one that has begun may still be running.
    public func removeListener() {
        registration.end()
        body?.removeEnded()
    }

    /// Ends the listener when the object is deallocated; if linked to several, at the first of them.
    ///
    /// The listener is no longer called from then on; its captured objects are released with the next action.
    public func linkLifeCycleTo(object: some AnyObject & Sendable) {
        registration.link { [weak object] in object != nil }
    }
}
