// SPDX-License-Identifier: Apache-2.0

/// What ends the notifications of an action listener; letting go of it does not. Callable from any thread.
public struct ActionSubscription: Sendable {
    /// Shared with the store.
    private let registration: ListenerRegistration
    /// Held weakly: a listener that keeps its subscription must not keep the store.
    private weak let core: StoreCore?

    /// The end of one registration.
    init(registration: ListenerRegistration, core: StoreCore) {
        self.registration = registration
        self.core = core
    }

    /// The engine, while it lives.
    var engine: StoreCore? { core }

    /// Removes the listener, any number of times; no notification begins afterwards, not even in a round under way.
    ///
    /// On another thread than the store's, one that has begun may still be running.
    public func removeListener() {
        registration.end()
        core?.removeEnded()
    }

    /// Removes the listener when the object is deallocated; linked to several, when the first of them is.
    public func linkLifeCycleTo(object: some AnyObject & Sendable) {
        registration.link { [weak object] in object != nil }
    }
}
