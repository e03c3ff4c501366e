// SPDX-License-Identifier: Apache-2.0

/// A first-in, first-out ring of entries that keeps its storage.
///
/// Entries are moved in and out: an array would copy and destroy each one through its metadata, which costs more than
/// everything else that a queue does with an output.
///
/// One thread at a time. Marked safe because only written places are read: the `count` places from `head` on hold entries, and
/// nothing else touches them.
@safe
@usableFromInline
final class Ring<Element> {
    /// The storage, with room for `capacity` entries.
    @exclusivity(unchecked) @usableFromInline var places: UnsafeMutablePointer<Element>
    /// A power of two.
    @safe @exclusivity(unchecked) @usableFromInline var capacity = 16
    /// The index of the oldest entry.
    @safe @exclusivity(unchecked) @usableFromInline var head = 0
    /// The number of entries.
    @safe @exclusivity(unchecked) @usableFromInline var count = 0

    /// An empty ring with room for 16 entries.
    @inlinable
    init() { unsafe places = .allocate(capacity: 16) }

    @inlinable
    deinit {
        while popFirst() != nil {}
        unsafe places.deallocate()
    }

    /// Adds an entry at the end; amortised constant time.
    @inlinable
    @inline(__always)
    func append(_ element: consuming Element) {
        if count == capacity { grow() }
        unsafe (places + ((head &+ count) & (capacity &- 1))).initialize(to: element)
        count &+= 1
    }

    /// Removes the oldest entry; nil for none.
    @inlinable
    @inline(__always)
    func popFirst() -> Element? { count > 0 ? takeFirst() : nil }

    /// Removes the oldest entry; there must be one.
    @inlinable
    @inline(__always)
    func takeFirst() -> Element {
        let place = unsafe places + head
        head = (head &+ 1) & (capacity &- 1)
        count &-= 1
        return unsafe place.move()
    }

    /// Doubles the storage and keeps the order of the entries.
    @inlinable
    @inline(never)
    func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        // From the head to the end of the storage, then the part that wrapped around.
        let behind = capacity - head
        unsafe larger.moveInitialize(from: places + head, count: behind)
        unsafe (larger + behind).moveInitialize(from: places, count: head)
        unsafe places.deallocate()
        unsafe places = larger
        capacity *= 2
        head = 0
    }
}
