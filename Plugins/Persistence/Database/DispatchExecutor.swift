// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs an actor on a queue with a thread of its own, so that waiting for a disk keeps no thread from running tasks.
final class DispatchExecutor: SerialExecutor {
    /// Runs one job at a time, on whatever thread it likes but those of tasks.
    private let queue: DispatchQueue

    /// A queue with a name for debuggers.
    init(name: String) { queue = DispatchQueue(label: name) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

    /// Runs a body behind what is queued, and waits for it; must not be called on the queue.
    func sync(_ body: () -> Void) { queue.sync(execute: body) }
}
