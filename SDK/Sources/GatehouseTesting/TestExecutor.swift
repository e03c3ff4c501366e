// SPDX-License-Identifier: Apache-2.0

private import Gatehouse
private import Synchronization

/// Runs the tasks of effects on the thread of a test, which so knows when nothing is left to run.
///
/// A task that waits for something outside, such as a socket, comes back here when that has happened. Callable from any thread.
public final class TestExecutor: TaskExecutor, Sendable {
    /// What is guarded by the lock.
    private struct State {
        /// What is to be run, in order.
        var jobs: [UnownedJob] = []
        /// Whether there was news since somebody looked last.
        var hasNews = false
        /// The task that waits for news; nil while none does.
        var waiting: CheckedContinuation<Void, Never>?
    }

    /// The lock is not held while a job runs.
    private let state = Lock(State())

    /// An executor with nothing to run.
    public init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        notify()
    }

    /// Runs what waits, in order, and what comes meanwhile, until nothing does; on the calling thread.
    public func runAll() {
        while true {
            let jobs = state.withLock { state in
                defer { state.jobs = [] }
                return state.jobs
            }
            if jobs.isEmpty { return }
            // Each was enqueued here and is run once, so this executor outlives it.
            for job in jobs { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }

    /// Wakes who waits for news.
    func notify() {
        let waiting = state.withLock { state in
            state.hasNews = true
            return state.waiting.take()
        }
        waiting?.resume()
    }

    /// Waits until there are jobs or `notify` was called; at once when that was so since the last time. One waits at a time.
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
