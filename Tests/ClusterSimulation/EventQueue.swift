// SPDX-License-Identifier: Apache-2.0

/// Events in the order of their times; those of one time in the order in which they were added.
struct EventQueue<Event> {
    /// Where an event is kept, and when it happens.
    private struct Place {
        let time: Duration
        /// The how manieth it is of all that were added.
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
    /// The events that are to come, by slot.
    private var events: [Event?] = []
    /// Slots without an event.
    private var free: [Int] = []
    /// How many were added.
    private var count = 0

    /// An event at a time.
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

    /// The next event, which is removed.
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

    /// Lets the first place sink to where it belongs.
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
