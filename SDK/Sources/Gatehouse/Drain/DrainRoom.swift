// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// The threads and tasks that wait because a queue is full.
///
/// No waiter is forgotten: a waiter registers before it looks at the queue, and the thread that makes room does so before it
/// looks here; both are ordered with everything sequentially consistent.
final class DrainRoom: Sendable {
    /// A thread or a task that waits for room in the queue.
    private enum Waiter {
        /// A thread that sleeps.
        case thread(Semaphore)
        /// A task that is suspended.
        case task(CheckedContinuation<Void, Never>)

        /// Resumes the waiter.
        func wake() {
            switch self {
            case .thread(let semaphore): semaphore.signal()
            case .task(let continuation): continuation.resume()
            }
        }
    }

    /// Whether anything waits; written under the lock.
    private let isWanted = Atomic<Bool>(false)
    /// The waiters, in order of arrival.
    private let waiters = Lock<[Waiter]>([])

    /// Sleeps until there is room, or until `isFull` returns false.
    func wait(while isFull: () -> Bool) {
        let semaphore = Semaphore()
        add(.thread(semaphore), while: isFull)
        semaphore.wait()
    }

    /// Suspends the task until there is room, or until `isFull` returns false.
    func wait(while isFull: () -> Bool) async {
        await withCheckedContinuation { add(.task($0), while: isFull) }
    }

    /// Makes all waiters look again; costs one load if there are none.
    func wake() {
        guard isWanted.load(ordering: .sequentiallyConsistent) else { return }
        let all = waiters.withLock { waiters in
            isWanted.store(false, ordering: .sequentiallyConsistent)
            return exchange(&waiters, with: [])
        }
        for waiter in all { waiter.wake() }
    }

    /// Registers a waiter, and wakes all if there is room by now.
    private func add(_ waiter: Waiter, while isFull: () -> Bool) {
        waiters.withLock { waiters in
            waiters.append(waiter)
            isWanted.store(true, ordering: .sequentiallyConsistent)
        }
        if !isFull() { wake() }
    }
}
