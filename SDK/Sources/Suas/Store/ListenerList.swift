// SPDX-License-Identifier: Apache-2.0

/// A listener of a store, called until its registration ends.
protocol RegisteredListener: Sendable {
    /// Whether it is still registered.
    var registration: ListenerRegistration { get }
}

/// The listeners of one kind, in order of registration; used in the drain.
///
/// The deallocation of an object to which a listener was linked is not reported. So ended listeners, with their captured
/// objects, are removed after the next round that finds one, and when the list has doubled since it was last searched.
struct ListenerList<Listener: RegisteredListener> {
    /// All, including some that have ended.
    private var listeners: [Listener] = []
    /// The number of listeners at which the list is searched.
    private var limit = 16

    /// Calls a closure with each listener that is still registered at its turn; returns whether one was not.
    func forEach(_ body: (Listener) -> Void) -> Bool {
        var hasEnded = false
        for listener in listeners {
            if listener.registration.isActive { body(listener) } else { hasEnded = true }
        }
        return hasEnded
    }

    /// Adds a listener at the end; returns the ended ones it removed.
    mutating func append(_ listener: Listener) -> [Listener] {
        listeners.append(listener)
        return listeners.count > limit ? removeEnded() : []
    }

    /// Removes the ended listeners and returns them: releasing their captured objects may call back into the store.
    mutating func removeEnded() -> [Listener] {
        var ended: [Listener] = []
        listeners.removeAll { listener in
            if listener.registration.isActive { return false }
            ended.append(listener)
            return true
        }
        limit = max(16, 2 * listeners.count)
        return ended
    }
}
