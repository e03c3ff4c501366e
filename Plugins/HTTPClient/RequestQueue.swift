// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lets some requests be under way at a time, in the order in which they came, and some wait.
///
/// Callable from any thread.
final class RequestQueue: Sendable {
    /// What is guarded by the lock.
    private struct Content {
        /// How many are under way.
        var running = 0
        /// Those that wait, by number, oldest first; nil for one that does not suspend a task yet.
        var waiting: [(number: UInt64, turn: CheckedContinuation<Void, Never>?)] = []
        /// The numbers of those that were let in before they waited.
        var admitted: Set<UInt64> = []
        /// Numbers the tickets.
        var last: UInt64 = 0
    }

    /// Everything; the lock is not held while a task goes on.
    private let content = Mutex(Content())
    /// How many may be under way.
    private let concurrency: Int
    /// How many may wait.
    private let limit: Int

    /// A queue without requests.
    init(concurrency: Int, limit: Int) {
        self.concurrency = concurrency
        self.limit = limit
    }

    /// The place of one request; it is free again when this goes.
    final class Ticket: Sendable {
        /// The queue that it is a place in.
        private let queue: RequestQueue
        /// Its number there.
        private let number: UInt64

        /// A place that was taken.
        fileprivate init(_ queue: RequestQueue, _ number: UInt64) {
            self.queue = queue
            self.number = number
        }

        deinit { queue.leave(number) }

        /// Waits until it may begin; comes back at once in a task that is cancelled.
        func turn() async { await queue.turn(number) }
    }

    /// The next place, taken in the order of the calls; nil when too many wait.
    func ticket() -> Ticket? {
        content.withLock { content -> UInt64? in
            guard content.running + content.waiting.count < concurrency + limit else { return nil }
            content.last += 1
            if content.running < concurrency {
                content.running += 1
                content.admitted.insert(content.last)
            } else {
                content.waiting.append((content.last, nil))
            }
            return content.last
        }.map { Ticket(self, $0) }
    }

    /// How many wait.
    var waiting: Int { content.withLock { $0.waiting.count } }

    /// Suspends the task until it is admitted or cancelled.
    private func turn(_ number: UInt64) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = content.withLock { content in
                    guard !Task.isCancelled,
                        let place = content.waiting.firstIndex(where: { $0.number == number })
                    else { return true }
                    content.waiting[place].turn = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            let turn = content.withLock { content -> CheckedContinuation<Void, Never>? in
                guard let place = content.waiting.firstIndex(where: { $0.number == number }) else {
                    return nil
                }
                return content.waiting[place].turn.take()
            }
            turn?.resume()
        }
    }

    /// Lets all that wait look around, without a place.
    func wake() {
        let turns = content.withLock { content in
            content.waiting.indices.compactMap { content.waiting[$0].turn.take() }
        }
        for turn in turns { turn.resume() }
    }

    /// Gives up a place, and lets the next one in.
    private func leave(_ number: UInt64) {
        let turn = content.withLock { content -> CheckedContinuation<Void, Never>? in
            guard content.admitted.remove(number) != nil else {
                content.waiting.removeAll { $0.number == number }
                return nil
            }
            content.running -= 1
            guard !content.waiting.isEmpty else { return nil }
            let next = content.waiting.removeFirst()
            content.running += 1
            content.admitted.insert(next.number)
            return next.turn
        }
        turn?.resume()
    }
}
