// SPDX-License-Identifier: Apache-2.0

/// Something that hears of a store until its registration ends.
protocol RegisteredListener: Sendable {
    /// Whether it still wants to hear.
    var registration: ListenerRegistration { get }
}

/// The listeners of one kind, in order of registration; used in the drain.
///
/// Nobody says that the object is gone to which a listener was linked. So those that have ended go, with what they hold, after the next
/// round in which one was found, and when the list has doubled since it was last looked through.
struct ListenerList<Listener: RegisteredListener> {
    /// All, with some that have ended.
    private var listeners: [Listener] = []
    /// How many there may be before the list is looked through.
    private var limit = 16

    /// Calls back for each listener that still wants to hear when its turn comes; returns whether one did not.
    func forEach(_ body: (Listener) -> Void) -> Bool {
        var hasEnded = false
        for listener in listeners {
            if listener.registration.isActive { body(listener) } else { hasEnded = true }
        }
        return hasEnded
    }

    /// Adds one behind the others; returns those that went.
    mutating func append(_ listener: Listener) -> [Listener] {
        listeners.append(listener)
        return listeners.count > limit ? removeEnded() : []
    }

    /// Takes out those that have ended and returns them: what they hold may come back to the store when it goes.
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
