// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc
private import Synchronization

/// Runs the jobs of the event loop on its own thread, one after the other.
///
/// When no job is left, the next one waits for descriptors. So waiting and work take turns on one thread, and no job needs to know
/// about it.
final class LoopThread: SerialExecutor {
    /// The submitted jobs, in the order of arrival.
    private let jobs = Mutex<[UnownedJob]>([])
    /// How many jobs taken from there have not begun; used by the thread only.
    private let left = Atomic(0)
    /// The set of watched descriptors.
    private let set = gatehouse_poll_open()
    /// Readable while a job waits.
    private let counter = gatehouse_counter_open()
    /// The thread's id; 0 before it runs.
    private let thread = Atomic<UInt>(0)

    /// The counter's token in the set; no descriptor has it.
    private static let counterToken: UInt64 = 0

    /// Creates the thread's state; `start` starts the thread.
    init() {
        guard set >= 0, counter >= 0 else { return }
        _ = gatehouse_poll_set(set, counter, Int32(GATEHOUSE_READABLE), Self.counterToken)
    }

    /// Starts the thread; without memory or descriptors for it, jobs wait for ever.
    func start() { BackgroundThread.start { self.run() } }

    // MARK: - Jobs

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = jobs.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        // Unnecessary when the thread itself submits it, because it looks before it waits.
        if isFirst, !isCurrent { wake() }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

    func checkIsolated() { precondition(isCurrent, "this belongs on the event loop") }

    /// Whether the calling thread is this one.
    private var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Runs jobs for the life of the process.
    private func run() -> Never {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        while true {
            let next = jobs.withLock { jobs in
                defer { jobs.removeAll(keepingCapacity: true) }
                return jobs
            }
            for (index, job) in next.enumerated() {
                left.store(next.count - index - 1, ordering: .relaxed)
                unsafe job.runSynchronously(on: asUnownedSerialExecutor())
            }
            // Its job is queued at once, because this thread submits it.
            if next.isEmpty { Task { @EventLoop in EventLoop.waits.turn(on: self) } }
        }
    }

    /// Ends the current wait, or the next one.
    private func wake() {
        var one: UInt64 = 1
        guard counter >= 0, unsafe write(counter, &one, 8) < 0, errno == EBADF else { return }
        gatehouse_end_without_descriptors()
    }

    // MARK: - Descriptors

    /// Waits for descriptors, or for a job; returns the tokens and the readiness of the ready ones.
    ///
    /// - Parameter limit: in milliseconds; -1 for no limit.
    func waitForReady(atMost limit: Int32) -> [(token: UInt64, readiness: Int32)] {
        // A job taken together with this very one is nowhere else.
        let hasJob = left.load(ordering: .relaxed) > 0 || jobs.withLock { !$0.isEmpty }
        var ready = InlineArray<64, gatehouse_ready>(repeating: gatehouse_ready())
        var span = ready.mutableSpan
        let count = unsafe span.withUnsafeMutableBufferPointer {
            unsafe gatehouse_poll_wait(set, $0.baseAddress, Int32($0.count), hasJob ? 0 : limit)
        }
        // Some code has closed the set that everything here waits for.
        if count == -EBADF, set >= 0 { gatehouse_end_without_descriptors() }
        return (0..<Int(max(count, 0))).compactMap { index in
            let found = ready[index]
            guard found.token == Self.counterToken else { return (found.token, found.readiness) }
            var value: UInt64 = 0
            _ = unsafe read(counter, &value, 8)
            return nil
        }
    }

    /// Watches a descriptor, or changes its readiness; returns the system's error number, 0 for none.
    func add(_ descriptor: Int32, for readiness: Int32, as token: UInt64) -> Int32 {
        -gatehouse_poll_set(set, descriptor, readiness, token)
    }

    /// Stops watching a descriptor.
    func remove(_ descriptor: Int32) { _ = gatehouse_poll_remove(set, descriptor) }
}
