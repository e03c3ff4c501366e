// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A one-time signal that tasks wait for; callable from any thread.
final class StopSignal: Sendable {
    /// The contents of the lock.
    private struct Content {
        /// Whether the signal was given.
        var isGiven = false
        /// The waiting tasks, by number.
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        /// Numbers the tasks.
        var last: UInt64 = 0
    }

    /// Everything; the lock is not held while a task resumes.
    private let content = Mutex(Content())

    /// Creates a signal that was not given.
    init() {}

    /// Whether the signal was given.
    var isGiven: Bool { content.withLock { $0.isGiven } }

    /// Gives the signal.
    func give() {
        let waiting = content.withLock { content in
            content.isGiven = true
            defer { content.waiting = [:] }
            return content.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Waits until the signal is given or the task is cancelled.
    func wait() async {
        let number = content.withLock { content in
            content.last += 1
            return content.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = content.withLock { content in
                    guard !content.isGiven, !Task.isCancelled else { return true }
                    content.waiting[number] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            content.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }
}
