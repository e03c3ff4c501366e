// SPDX-License-Identifier: Apache-2.0

/// Events ordered by time; those of the same time in the order in which they were added.
struct EventQueue<Event> {
    /// The slot of an event, and its time.
    private struct Place {
        let time: Duration
        /// Its number in the order of adding.
        let number: Int
        /// Its index among the events.
        let slot: Int

        /// Whether it comes before another one.
        static func < (one: Place, other: Place) -> Bool {
            one.time == other.time ? one.number < other.number : one.time < other.time
        }
    }

    /// A binary heap; the events themselves stay where they are.
    private var heap: [Place] = []
    /// The pending events, by slot.
    private var events: [Event?] = []
    /// Slots without an event.
    private var free: [Int] = []
    /// How many events were added.
    private var count = 0

    /// Adds an event at a time.
    mutating func add(_ event: Event, at time: Duration) {
        count += 1
        let slot = free.popLast() ?? events.count
        if slot == events.count { events.append(event) } else { events[slot] = event }
        heap.append(Place(time: time, number: count, slot: slot))
        var child = heap.count - 1
        while child > 0, heap[child] < heap[(child - 1) / 2] {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Removes and returns the next event.
    mutating func next() -> (Duration, Event)? {
        guard let first = heap.first, let event = events[first.slot].take() else { return nil }
        free.append(first.slot)
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (first.time, event)
    }

    /// Sifts the first place down.
    private mutating func sink() {
        var parent = 0
        while true {
            var least = 2 * parent + 1
            guard least < heap.count else { return }
            if least + 1 < heap.count, heap[least + 1] < heap[least] { least += 1 }
            guard heap[least] < heap[parent] else { return }
            heap.swapAt(least, parent)
            parent = least
        }
    }
}
