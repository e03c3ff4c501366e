// SPDX-License-Identifier: Apache-2.0

/// The observers of a store, in order of registration; adding and removing one take constant time on average.
///
/// Removing an observer leaves a gap, so that the places in the others' registrations stay valid. When more than half of the
/// list are gaps, it is rewritten without them.
@usableFromInline
struct ObserverList<State> {
    /// The observers, with gaps.
    @usableFromInline private(set) var places: [StateObserver<State>?] = []
    /// The number of gaps among the places.
    private var gaps = 0

    /// Creates an empty list.
    @usableFromInline
    init() {}

    /// Whether there are no observers.
    @usableFromInline var isEmpty: Bool { places.isEmpty }

    /// Adds an observer at the end.
    mutating func append(_ observer: StateObserver<State>) {
        observer.registration.place = places.count
        places.append(observer)
    }

    /// Removes an observer and returns it, because releasing it may call back into the store.
    mutating func remove(_ registration: ObserverRegistration) -> StateObserver<State>? {
        // Called twice for one removal: when a subscription is cancelled, and when it is released.
        guard let place = registration.place, place < places.count,
            let observer = places[place], observer.registration === registration
        else { return nil }
        registration.place = nil
        places[place] = nil
        gaps += 1
        if gaps * 2 > places.count { close() }
        return observer
    }

    /// Removes all observers and returns them.
    mutating func removeAll() -> [StateObserver<State>?] {
        defer { self = ObserverList() }
        return places
    }

    /// Closes the gaps.
    private mutating func close() {
        places.removeAll { $0 == nil }
        gaps = 0
        for (place, observer) in places.enumerated() { observer?.registration.place = place }
    }
}
