// SPDX-License-Identifier: Apache-2.0

/// One listener of a store, called until its registration ends.
struct Listener<Event>: Sendable {
    /// Whether it is still registered.
    let registration: ListenerRegistration
    /// Calls the listener.
    let tell: @Sendable (Event) -> Void
}

/// A change of a store's state: the state before and after, and the keys of the entries that reducers changed.
typealias StateEvent = (old: State, new: State, keys: Set<StateKey>)

/// The listeners of one kind, in order of registration; used in the drain.
///
/// The deallocation of an object to which a listener was linked is not reported. So ended listeners, with their captured
/// objects, are removed after the next round that finds one, and when the list has doubled since it was last searched.
struct ListenerList<Event> {
    /// All, including some that have ended.
    private var listeners: [Listener<Event>] = []
    /// The number of listeners at which the list is searched.
    private var limit = 16

    /// Calls each listener that is still registered at its turn; returns whether one was not.
    func tell(_ event: Event) -> Bool {
        var hasEnded = false
        for listener in listeners {
            if listener.registration.isActive { listener.tell(event) } else { hasEnded = true }
        }
        return hasEnded
    }

    /// Adds a listener at the end; returns the ended ones it removed.
    mutating func append(_ listener: Listener<Event>) -> [Listener<Event>] {
        listeners.append(listener)
        return listeners.count > limit ? removeEnded() : []
    }

    /// Removes the ended listeners and returns them: releasing their captured objects may call back into the store.
    mutating func removeEnded() -> [Listener<Event>] {
        var ended: [Listener<Event>] = []
        listeners.removeAll { listener in
            if listener.registration.isActive { return false }
            ended.append(listener)
            return true
        }
        limit = max(16, 2 * listeners.count)
        return ended
    }
}
