// SPDX-License-Identifier: Apache-2.0

/// A ring of entries, first in, first out, that keeps its storage.
///
/// Entries are moved in and out: an array of them would copy and destroy each by way of its metadata, which costs more than all
/// else that a queue does with an output.
///
/// One thread at a time. Marked safe because no place is read that was not written: those from `head` on, `count` of them, hold
/// entries, and nobody else touches them.
@safe
@usableFromInline
final class Ring<Element> {
    /// The places, as many as `capacity`.
    @usableFromInline var places: UnsafeMutablePointer<Element>
    /// A power of two.
    @usableFromInline var capacity = 16
    /// The place of the oldest entry.
    @usableFromInline var head = 0
    /// How many places are taken.
    @usableFromInline var count = 0

    /// An empty ring with room for 16 entries.
    @inlinable
    init() { unsafe places = .allocate(capacity: 16) }

    @inlinable
    deinit {
        while popFirst() != nil {}
        unsafe places.deallocate()
    }

    /// Adds at the end; amortised constant time.
    @inlinable
    @inline(__always)
    func append(_ element: consuming Element) {
        if count == capacity { grow() }
        unsafe (places + ((head &+ count) & (capacity &- 1))).initialize(to: element)
        count &+= 1
    }

    /// Takes the oldest, or nil.
    @inlinable
    @inline(__always)
    func popFirst() -> Element? { count > 0 ? takeFirst() : nil }

    /// Takes the oldest; there must be one.
    @inlinable
    @inline(__always)
    func takeFirst() -> Element {
        let place = unsafe places + head
        head = (head &+ 1) & (capacity &- 1)
        count &-= 1
        return unsafe place.move()
    }

    /// Doubles the storage and keeps the order of what is in it.
    @inlinable
    @inline(never)
    func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        // What is behind the head comes first, then what went on from the first place.
        let behind = capacity - head
        unsafe larger.moveInitialize(from: places + head, count: behind)
        unsafe (larger + behind).moveInitialize(from: places, count: head)
        unsafe places.deallocate()
        unsafe places = larger
        capacity *= 2
        head = 0
    }
}
