// SPDX-License-Identifier: Apache-2.0

private import Glibc
public import Synchronization

/// Letters of threads that found another thread draining: two buffers, one to post into and one to process.
///
/// Posting and swapping hold the lock for a few instructions, so a thread that finds it taken spins instead of sleeping:
/// waking a thread costs a thousand times as much as posting. Once both buffers have grown, nothing is allocated.
///
/// `@unchecked Sendable`: `letters` is touched only between a successful exchange of `isTaken`, which acquires, and the store
/// that releases it.
@usableFromInline
final class Mailbox<Element: Sendable>: @unchecked Sendable {
    /// An element or a job.
    @usableFromInline
    enum Letter: Sendable {
        /// An element of the queue.
        case element(Element)
        /// Work of any other kind.
        case job(@Sendable () -> Void)
    }

    /// Whether a thread holds the lock of the letters.
    @usableFromInline let isTaken = Atomic<Bool>(false)
    /// The number of letters; written while `isTaken`, read by all threads.
    @usableFromInline let count = Atomic<Int>(0)
    /// The letters posted since the last swap.
    @safe @exclusivity(unchecked) @usableFromInline var letters: [Letter] = []

    /// An empty mailbox.
    @inlinable
    init() {}

    /// Whether the mailbox is empty, as far as this thread can know.
    @inlinable var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// Whether the mailbox is empty; ordered with everything sequentially consistent.
    @inlinable var isSurelyEmpty: Bool { count.load(ordering: .sequentiallyConsistent) == 0 }

    /// Adds a letter, from any thread.
    @inlinable
    func post(_ letter: Letter) {
        take()
        letters.append(letter)
        count.store(letters.count, ordering: .sequentiallyConsistent)
        isTaken.store(false, ordering: .releasing)
    }

    /// Exchanges all letters, in order of arrival, for an empty buffer, which collects the next ones.
    @inlinable
    func swap(_ buffer: inout [Letter]) {
        take()
        Swift.swap(&letters, &buffer)
        count.store(0, ordering: .sequentiallyConsistent)
        isTaken.store(false, ordering: .releasing)
    }

    /// Takes the lock of the letters.
    @inlinable
    func take() {
        while isTaken.exchange(true, ordering: .acquiring) { waitUntilFree() }
    }

    /// Spins until the lock is free; yields to other threads if that takes long.
    @usableFromInline
    func waitUntilFree() {
        var looks = 0
        while isTaken.load(ordering: .relaxed) {
            looks += 1
            if looks & 127 == 0 { sched_yield() }
        }
    }
}
