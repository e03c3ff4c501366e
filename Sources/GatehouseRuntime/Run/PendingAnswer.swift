// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// An answer that one task waits for, and that others may give; the first one counts.
///
/// Whoever answers may also have to begin first: who has given up waiting by then needs nothing any more.
package final class PendingAnswer<Answer: Sendable>: Sendable {
    /// What is guarded by the lock.
    private struct State {
        /// Whether somebody works on it.
        var hasBegun = false
        /// The answer; nil before there is one.
        var answer: Answer?
        /// The task that waits for the answer; nil while nobody waits.
        var waiter: CheckedContinuation<Answer, Never>?
    }

    /// What is known so far.
    private let state = Mutex(State())

    /// An answer that nobody has given.
    package init() {}

    /// Whether the answer is still wanted; called once, by who works on it.
    package func begin() -> Bool {
        state.withLock { state in
            state.hasBegun = true
            return state.answer == nil
        }
    }

    /// Gives the answer to whoever waits, or will wait.
    package func finish(_ answer: Answer) { finish { _ in answer } }

    /// Answers; the closure is told whether somebody works on it, and not called when there is an answer already.
    package func finish(_ make: (_ hasBegun: Bool) -> Answer) {
        let (waiter, answer) = state.withLock { state in
            if state.answer == nil { state.answer = make(state.hasBegun) }
            return (state.waiter.take(), state.answer)
        }
        if let answer { waiter?.resume(returning: answer) }
    }

    /// Waits for the answer where the caller is, so that no thread of the tasks is needed; asked for once.
    package func value(isolation: isolated (any Actor)? = #isolation) async -> Answer {
        await withCheckedContinuation { waiter in
            let answer = state.withLock { state in
                if state.answer == nil { state.waiter = waiter }
                return state.answer
            }
            if let answer { waiter.resume(returning: answer) }
        }
    }
}
