// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs an actor on a queue with a thread of its own, so that waiting for a disk blocks no thread for tasks.
final class DispatchExecutor: SerialExecutor {
    /// Runs one job at a time, on any thread but those for tasks.
    private let queue: DispatchQueue

    /// Creates a queue with a name for debuggers.
    init(name: String) { queue = DispatchQueue(label: name) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Runs a body after everything queued, and waits for it; must not be called on the queue.
    func sync(_ body: () -> Void) { queue.sync(execute: body) }
}
