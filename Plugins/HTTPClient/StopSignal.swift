// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Something that happens once, which tasks wait for; callable from any thread.
final class StopSignal: Sendable {
    /// What is guarded by the lock.
    private struct Content {
        /// Whether it has happened.
        var isGiven = false
        /// The tasks that wait, by number.
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        /// Numbers the tasks.
        var last: UInt64 = 0
    }

    /// Everything; the lock is not held while a task goes on.
    private let content = Mutex(Content())

    /// Has not happened.
    init() {}

    /// Whether it has happened.
    var isGiven: Bool { content.withLock { $0.isGiven } }

    /// Lets it happen.
    func give() {
        let waiting = content.withLock { content in
            content.isGiven = true
            defer { content.waiting = [:] }
            return content.waiting
        }
        for continuation in waiting.values { continuation.resume() }
    }

    /// Waits until it has happened, or the task is cancelled.
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
