// SPDX-License-Identifier: Apache-2.0

public import Synchronization

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// What threads leave that found somebody else draining: two buffers, one to post into and one to work through.
///
/// Posting and swapping hold the lock for a few instructions, so who finds it taken looks again instead of sleeping: waking
/// a thread costs a thousand times as much as posting. Nothing is allocated once both buffers have grown.
///
/// `@unchecked Sendable`: `letters` is touched only between a successful exchange of `isTaken`, which acquires, and the store
/// that releases it.
@usableFromInline
final class Mailbox<Element: Sendable>: @unchecked Sendable {
    /// One thing that was left.
    @usableFromInline
    enum Letter: Sendable {
        /// An element of the queue.
        case element(Element)
        /// Work of any kind.
        case job(@Sendable () -> Void)
    }

    /// Whether a thread has the letters.
    @usableFromInline let isTaken = Atomic<Bool>(false)
    /// How many letters there are; written while `isTaken`, read by everybody.
    @usableFromInline let count = Atomic<Int>(0)
    /// What was posted since the last swap.
    @usableFromInline var letters: [Letter] = []

    /// An empty mailbox.
    @inlinable
    init() {}

    /// Whether there is nothing in it, as far as this thread can know.
    @inlinable var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// The same, ordered with everything that is sequentially consistent.
    @inlinable var isSurelyEmpty: Bool { count.load(ordering: .sequentiallyConsistent) == 0 }

    /// Adds a letter, from any thread.
    @inlinable
    func post(_ letter: Letter) {
        take()
        letters.append(letter)
        count.store(letters.count, ordering: .sequentiallyConsistent)
        isTaken.store(false, ordering: .releasing)
    }

    /// Gives all letters in order of arrival for an empty buffer, which is filled from here on.
    @inlinable
    func swap(_ buffer: inout [Letter]) {
        take()
        Swift.swap(&letters, &buffer)
        count.store(0, ordering: .sequentiallyConsistent)
        isTaken.store(false, ordering: .releasing)
    }

    /// Waits for the letters.
    @inlinable
    func take() {
        while isTaken.exchange(true, ordering: .acquiring) { waitUntilFree() }
    }

    /// Looks until nobody has the letters; lets other threads run when that takes long.
    @usableFromInline
    func waitUntilFree() {
        var looks = 0
        while isTaken.load(ordering: .relaxed) {
            looks += 1
            if looks & 127 == 0 { sched_yield() }
        }
    }
}
