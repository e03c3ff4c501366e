// SPDX-License-Identifier: Apache-2.0

private import Gatehouse
private import Synchronization

/// Runs the tasks of effects on the thread of a test, which so knows when nothing is left to run.
///
/// A task that waits for something outside, such as a socket, returns here when that has happened. Callable from any thread.
public final class TestExecutor: TaskExecutor, Sendable {
    /// The state that the lock guards.
    private struct State {
        /// The jobs to run, in order.
        var jobs: [UnownedJob] = []
        /// Whether there was news since the last look.
        var hasNews = false
        /// The task that waits for news; nil if there is none.
        var waiting: CheckedContinuation<Void, Never>?
    }

    /// The state; the lock is not held while a job runs.
    private let state = Lock(State())

    /// Creates an executor with nothing to run.
    public init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        notify()
    }

    /// Runs the waiting jobs, in order, and those added meanwhile, until none is left; on the calling thread.
    public func runAll() {
        while true {
            let jobs = state.withLock { exchange(&$0.jobs, with: []) }
            if jobs.isEmpty { return }
            // Each was enqueued here and is run once, so this executor outlives it.
            for job in jobs { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    /// Wakes the task that waits for news.
    func notify() {
        let waiting = state.withLock { state in
            state.hasNews = true
            return state.waiting.take()
        }
        waiting?.resume()
    }

    /// Waits for jobs or a call of `notify`; returns at once if there was either since the last time; for one task at a
    /// time.
    func news() async {
        await withCheckedContinuation { continuation in
            let hasNews = state.withLock { state in
                defer { state.hasNews = false }
                if !state.hasNews { state.waiting = continuation }
                return state.hasNews
            }
            if hasNews { continuation.resume() }
        }
        state.withLock { $0.hasNews = false }
    }
}
