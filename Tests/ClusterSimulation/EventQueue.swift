// SPDX-License-Identifier: Apache-2.0

/// Events in the order of their times; those of one time in the order in which they were added.
struct EventQueue<Event> {
    /// A binary heap.
    private var heap: [(time: Duration, number: Int, event: Event)] = []
    /// How many were added.
    private var count = 0

    /// An event at a time.
    mutating func add(_ event: Event, at time: Duration) {
        count += 1
        heap.append((time, count, event))
        var child = heap.count - 1
        while child > 0, isLess(child, (child - 1) / 2) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// The next event, which is removed.
    mutating func next() -> (Duration, Event)? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            var parent = 0
            while true {
                let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < heap.count }
                guard let least = children.min(by: isLess), isLess(least, parent) else { break }
                heap.swapAt(least, parent)
                parent = least
            }
        }
        return (first.time, first.event)
    }

    private func isLess(_ one: Int, _ other: Int) -> Bool {
        (heap[one].time, heap[one].number) < (heap[other].time, heap[other].number)
    }
}
