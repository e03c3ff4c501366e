// SPDX-License-Identifier: Apache-2.0

private import CLinux
private import Glibc
private import Synchronization

/// Runs the jobs of the event loop on a thread of its own, one after the other.
///
/// When no job is left, waiting for descriptors is the next one. So what waits and what works take turns on one thread, and no job
/// needs to know of it.
final class LoopThread: SerialExecutor {
    /// What is to be done, in the order in which it came.
    private let jobs = Mutex<[UnownedJob]>([])
    /// How many jobs that were taken from there have not begun; of the thread's own concern.
    private let left = Atomic(0)
    /// The descriptors that are waited for.
    private let set = gatehouse_poll_open()
    /// Readable while a job waits.
    private let counter = gatehouse_counter_open()
    /// The thread's number; 0 before it runs.
    private let thread = Atomic<UInt>(0)

    /// What the counter is called in the set; no descriptor has this token.
    private static let counterToken: UInt64 = 0

    /// A thread that `start` starts.
    init() {
        guard set >= 0, counter >= 0 else { return }
        _ = gatehouse_poll_set(set, counter, Int32(GATEHOUSE_READABLE), Self.counterToken)
    }

    /// Starts the thread; without memory or descriptors for it, jobs wait for ever.
    func start() {
        let kept = unsafe Unmanaged.passRetained(self)
        _ = unsafe gatehouse_start_thread(
            { context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<LoopThread>.fromOpaque(context).takeUnretainedValue().run()
            }, kept.toOpaque())
    }

    // MARK: - Jobs

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = jobs.withLock { jobs in
            jobs.append(job)
            return jobs.count == 1
        }
        // Without need, when the thread itself brings it: it looks before it waits.
        if isFirst, !isCurrent { wake() }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    func checkIsolated() { precondition(isCurrent, "this belongs on the event loop") }

    /// Whether the calling thread is this one.
    private var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Runs jobs as long as the process lives.
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
            // It comes to the end of the jobs at once, because this thread brings it.
            if next.isEmpty { Task { @EventLoop in EventLoop.waits.turn(on: self) } }
        }
    }

    /// Ends the wait that is under way, or the next one.
    private func wake() {
        var one: UInt64 = 1
        guard counter >= 0, unsafe write(counter, &one, 8) < 0, errno == EBADF else { return }
        gatehouse_end_without_descriptors()
    }

    // MARK: - Descriptors

    /// Waits for descriptors, or for a job; gives the tokens of those that are ready, and what for.
    ///
    /// - Parameter limit: in milliseconds; -1 for as long as it takes.
    func waitForReady(atMost limit: Int32) -> [(token: UInt64, readiness: Int32)] {
        // One that came together with this very job is nowhere else.
        let hasJob = left.load(ordering: .relaxed) > 0 || jobs.withLock { !$0.isEmpty }
        var ready = InlineArray<64, gatehouse_ready>(repeating: gatehouse_ready())
        var span = ready.mutableSpan
        let count = unsafe span.withUnsafeMutableBufferPointer {
            unsafe gatehouse_poll_wait(set, $0.baseAddress, Int32($0.count), hasJob ? 0 : limit)
        }
        // Somebody has closed what everything here waits for.
        if count == -EBADF, set >= 0 { gatehouse_end_without_descriptors() }
        return (0..<Int(max(count, 0))).compactMap { index in
            let found = ready[index]
            guard found.token == Self.counterToken else { return (found.token, found.readiness) }
            var value: UInt64 = 0
            _ = unsafe read(counter, &value, 8)
            return nil
        }
    }

    /// Waits for a descriptor from here on, or changes what it is waited for; returns the system's error number, 0 for none.
    func add(_ descriptor: Int32, for readiness: Int32, as token: UInt64) -> Int32 {
        -gatehouse_poll_set(set, descriptor, readiness, token)
    }

    /// Waits for a descriptor no longer.
    func remove(_ descriptor: Int32) { _ = gatehouse_poll_remove(set, descriptor) }
}
