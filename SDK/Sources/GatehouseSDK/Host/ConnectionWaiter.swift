// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Joins a task with the first of its possible outcomes; what comes later is dropped, and so closed.
final class ConnectionWaiter: Sendable {
    /// The outcome.
    typealias Outcome = Result<NetworkConnection, ConnectionFailure>

    /// What is there of both.
    private struct Content {
        /// The task that waits.
        var continuation: CheckedContinuation<Outcome, Never>?
        /// The outcome that came before the task waited.
        var early: Outcome?
        /// Whether there was one.
        var isOver = false
    }

    /// The contents.
    private let content = Mutex(Content())

    /// Lets a task wait.
    func wait(_ continuation: CheckedContinuation<Outcome, Never>) {
        let early = content.withLock { content -> Outcome? in
            guard content.isOver else {
                content.continuation = continuation
                return nil
            }
            return content.early.take()
        }
        if let early { continuation.resume(returning: early) }
    }

    /// Ends the wait; does nothing when it is over.
    func end(_ outcome: Outcome) {
        let continuation = content.withLock { content -> CheckedContinuation<Outcome, Never>? in
            guard !content.isOver else { return nil }
            content.isOver = true
            if content.continuation == nil { content.early = outcome }
            return content.continuation.take()
        }
        continuation?.resume(returning: outcome)
    }
}
