// SPDX-License-Identifier: Apache-2.0

/// A ring of entries, first in, first out, that keeps its storage.
@usableFromInline
struct Ring<Element> {
    /// A power of two of places.
    @usableFromInline var slots: [Element?] = Array(repeating: nil, count: 16)
    /// The place of the oldest entry.
    @usableFromInline var head = 0
    /// How many places are taken.
    @usableFromInline var count = 0

    /// An empty ring with room for 16 entries.
    @inlinable
    init() {}

    /// Adds at the end; amortised constant time.
    @inlinable
    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[(head &+ count) & (slots.count &- 1)] = element
        count &+= 1
    }

    /// Takes the oldest, or nil.
    @inlinable
    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head].take()
        head = (head &+ 1) & (slots.count &- 1)
        count &-= 1
        return element
    }

    /// Doubles the storage and keeps the order of what is in it.
    @inlinable
    mutating func grow() {
        var larger: [Element?] = []
        larger.reserveCapacity(slots.count * 2)
        for offset in 0..<count { larger.append(slots[(head &+ offset) & (slots.count &- 1)]) }
        larger.append(contentsOf: repeatElement(nil, count: slots.count * 2 - count))
        slots = larger
        head = 0
    }
}
