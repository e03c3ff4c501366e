// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// A thread of which a test asks whether the system lets it sleep.
public final class WatchedThread: Sendable {
    /// What the system says of the thread, as an open file; -1 before it runs.
    private let status: Descriptor
    private let thread: TestThread<Void>

    /// Runs a closure on a new thread.
    public init(_ body: @escaping @Sendable () -> Void) throws {
        let status = Descriptor()
        self.status = status
        thread = try TestThread {
            status.number.store(
                unsafe open("/proc/thread-self/stat", O_RDONLY | O_CLOEXEC), ordering: .releasing)
            body()
        }
    }

    /// Gives way until the thread sleeps; false when it has not done so for ten seconds.
    public func comesToSleep() throws -> Bool {
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end {
            let status = status.number.load(ordering: .acquiring)
            if status >= 0 {
                let text = String(
                    decoding: try FileSystem.read("/proc/self/fd/\(status)"), as: UTF8.self)
                if text.split(separator: ") ").last?.first == "S" { return true }
            }
            sched_yield()
        }
        return false
    }

    /// Waits until the closure has returned; call it once.
    public func wait() throws { try thread.join() }

    /// An open file, for as long as either thread needs it.
    private final class Descriptor: Sendable {
        let number = Atomic<Int32>(-1)

        deinit { close(number.load(ordering: .acquiring)) }
    }
}
