// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lets a number of requests proceed at a time, in their order, while others wait.
///
/// Callable from any thread.
final class RequestQueue: Sendable {
    /// The contents of the lock.
    private struct Content {
        /// The waiting requests, by number, oldest first; nil for one that does not suspend a task yet.
        var waiting: [(number: UInt64, turn: CheckedContinuation<Void, Never>?)] = []
        /// The numbers of the requests under way.
        var admitted: Set<UInt64> = []
        /// Numbers the tickets.
        var last: UInt64 = 0
    }

    /// Everything; the lock is not held while a task resumes.
    private let content = Mutex(Content())
    /// The most requests under way.
    private let concurrency: Int
    /// The most waiting requests.
    private let limit: Int

    /// Creates a queue without requests.
    init(concurrency: Int, limit: Int) {
        self.concurrency = concurrency
        self.limit = limit
    }

    /// The place of one request, freed at the end of its life.
    final class Ticket: Sendable {
        /// The queue of the place.
        private let queue: RequestQueue
        /// The number of the request.
        private let number: UInt64

        /// Creates a ticket for a place that was taken.
        fileprivate init(_ queue: RequestQueue, _ number: UInt64) {
            self.queue = queue
            self.number = number
        }

        deinit { queue.leave(number) }

        /// Waits until the request may begin; returns at once in a cancelled task.
        func turn() async { await queue.turn(number) }
    }

    /// Takes the next place, in the order of the calls; returns nil when too many wait.
    func ticket() -> Ticket? {
        content.withLock { content -> UInt64? in
            guard content.admitted.count + content.waiting.count < concurrency + limit else { return nil }
            content.last += 1
            if content.admitted.count < concurrency {
                content.admitted.insert(content.last)
            } else {
                content.waiting.append((content.last, nil))
            }
            return content.last
        }.map { Ticket(self, $0) }
    }

    /// The number of waiting requests.
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

    /// Resumes all waiting tasks, without giving them a place.
    func wake() {
        let turns = content.withLock { content in
            content.waiting.indices.compactMap { content.waiting[$0].turn.take() }
        }
        for turn in turns { turn.resume() }
    }

    /// Frees a place, and admits the next request.
    private func leave(_ number: UInt64) {
        let turn = content.withLock { content -> CheckedContinuation<Void, Never>? in
            guard content.admitted.remove(number) != nil else {
                content.waiting.removeAll { $0.number == number }
                return nil
            }
            guard !content.waiting.isEmpty else { return nil }
            let next = content.waiting.removeFirst()
            content.admitted.insert(next.number)
            return next.turn
        }
        turn?.resume()
    }
}
