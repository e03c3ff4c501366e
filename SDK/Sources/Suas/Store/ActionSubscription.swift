// SPDX-License-Identifier: Apache-2.0

/// What ends the notifications of an action listener; letting go of it does not. Callable from any thread.
public struct ActionSubscription: Sendable {
    /// The registration, which the store shares.
    private let registration: ListenerRegistration
    /// Held weakly: a listener that keeps its subscription must not keep the store.
    weak let body: StoreBody?

    /// The end of one registration.
    init(registration: ListenerRegistration, body: StoreBody) {
        self.registration = registration
        self.body = body
    }

    /// Removes the listener, any number of times; no notification begins afterwards, not even in a round under way.
    ///
    /// On another thread than the store's, one that has begun may still be running.
    public func removeListener() {
        registration.end()
        body?.removeEnded()
    }

    /// Ends the listener when the object is deallocated; linked to several, when the first of them is.
    ///
    /// It is told nothing from then on; what it holds is let go of with the next action.
    public func linkLifeCycleTo(object: some AnyObject & Sendable) {
        registration.link { [weak object] in object != nil }
    }
}
