// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseHostTesting
import Glibc
import Synchronization

@testable import GatehouseSupport

/// A thread of which a test asks whether the system lets it sleep.
final class WatchedThread: Sendable {
    /// What the system says of the thread, as an open file; -1 before it runs.
    private let status = Atomic<Int32>(-1)
    /// Signalled when the closure has returned.
    private let end = DispatchSemaphore(value: 0)

    /// Runs a closure on a new thread.
    init(_ body: @escaping @Sendable () -> Void) {
        BackgroundThread.start { [self] in
            status.store(unsafe open("/proc/thread-self/stat", O_RDONLY | O_CLOEXEC), ordering: .releasing)
            body()
            end.signal()
        }
    }

    deinit { close(status.load(ordering: .acquiring)) }

    /// Gives way until the thread sleeps; false when it has not done so for ten seconds.
    func comesToSleep() throws -> Bool {
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end {
            let status = status.load(ordering: .acquiring)
            if status >= 0 {
                let text = String(
                    decoding: try FileSystem.read("/proc/self/fd/\(status)"), as: UTF8.self)
                if text.split(separator: ") ").last?.first == "S" { return true }
            }
            sched_yield()
        }
        return false
    }

    /// Waits until the closure has returned.
    func wait() { end.wait() }
}
