// SPDX-License-Identifier: Apache-2.0

/// The observers of a store, in order of registration; adding one and removing one take constant time on average.
///
/// One that is removed leaves a gap, so that the others stay where their registrations say. When gaps are more than half of the
/// list, it is written anew without them.
@usableFromInline
struct ObserverList<State> {
    /// The observers, with gaps.
    @usableFromInline private(set) var places: [StateObserver<State>?] = []
    /// How many of the places are gaps.
    private var gaps = 0

    /// A list without observers.
    @usableFromInline
    init() {}

    /// Whether nobody observes.
    @usableFromInline var isEmpty: Bool { places.isEmpty }

    /// Adds an observer behind the others.
    mutating func append(_ observer: StateObserver<State>) {
        observer.registration.place = places.count
        places.append(observer)
    }

    /// Takes an observer out and returns it: what it holds may come back to the store when it goes.
    mutating func remove(_ registration: ObserverRegistration) -> StateObserver<State>? {
        // Asked twice for one removal: when a subscription is cancelled, and when it goes.
        guard let place = registration.place, place < places.count,
            let observer = places[place], observer.registration === registration
        else { return nil }
        registration.place = nil
        places[place] = nil
        gaps += 1
        if gaps * 2 > places.count { close() }
        return observer
    }

    /// Takes out all observers and returns them.
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
