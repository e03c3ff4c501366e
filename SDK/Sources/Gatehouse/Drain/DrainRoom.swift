// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Where threads and tasks wait that bring more than a full queue takes.
///
/// Nobody is forgotten: who waits is entered first and looks at the queue then, the thread that makes room does so first and
/// looks here then, both in one order with everything that is sequentially consistent.
final class DrainRoom: Sendable {
    /// A thread or a task that waits for room in the queue.
    private enum Waiter {
        /// A thread that sleeps.
        case thread(Semaphore)
        /// A task that is suspended.
        case task(CheckedContinuation<Void, Never>)

        /// Lets it go on.
        func wake() {
            switch self {
            case .thread(let semaphore): semaphore.signal()
            case .task(let continuation): continuation.resume()
            }
        }
    }

    /// Whether anybody waits; written under the lock.
    private let isWanted = Atomic<Bool>(false)
    /// Those who wait for room, in the order in which they came.
    private let waiters = Lock<[Waiter]>([])

    /// Sleeps until there is room, or until `isFull` says that there is.
    func wait(while isFull: () -> Bool) {
        let semaphore = Semaphore()
        add(.thread(semaphore), while: isFull)
        semaphore.wait()
    }

    /// Suspends the task until there is room, or until `isFull` says that there is.
    func wait(while isFull: () -> Bool) async {
        await withCheckedContinuation { add(.task($0), while: isFull) }
    }

    /// Lets everybody look again; costs a look when nobody waits.
    func wake() {
        guard isWanted.load(ordering: .sequentiallyConsistent) else { return }
        let all = waiters.withLock { waiters in
            let all = waiters
            waiters = []
            isWanted.store(false, ordering: .sequentiallyConsistent)
            return all
        }
        for waiter in all { waiter.wake() }
    }

    /// Enters somebody, and lets everybody look again when there is room by now.
    private func add(_ waiter: Waiter, while isFull: () -> Bool) {
        waiters.withLock { waiters in
            waiters.append(waiter)
            isWanted.store(true, ordering: .sequentiallyConsistent)
        }
        if !isFull() { wake() }
    }
}
