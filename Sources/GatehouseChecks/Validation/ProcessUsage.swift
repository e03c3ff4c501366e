// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc

/// The process's use of system resources at one moment.
struct ProcessUsage {
    /// Resident memory, including file pages, in bytes.
    let memory: Int
    /// Open descriptors.
    let descriptors: Int
    /// Threads.
    let threads: Int

    /// The current usage.
    static var now: ProcessUsage {
        ProcessUsage(
            memory: ProcessUse(of: getpid())?.memory ?? 0,
            descriptors: SystemFile.names(inFolder: "/proc/self/fd").count,
            threads: SystemFile.names(inFolder: "/proc/self/task").count)
    }

    /// The CPU time of the process's threads at one moment.
    struct Turns {
        /// The moment of measurement.
        private let moment = ContinuousClock.now
        /// The CPU time of all threads, including those that have ended.
        private let computed: Duration
        /// For each thread, in nanoseconds, how long it has run and how long it has waited to run; empty where the system does
        /// not report it.
        private let threads: [String: (run: Double, wait: Double)]

        /// Measures the current times.
        init() {
            var time = timespec()
            unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            computed = .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
            var threads: [String: (run: Double, wait: Double)] = [:]
            for name in SystemFile.names(inFolder: "/proc/self/task") {
                guard
                    let bytes = try? SystemFile.bytes(of: "/proc/self/task/\(name)/schedstat", limit: 4_096)
                else { continue }
                let numbers = String(decoding: bytes, as: UTF8.self).split(separator: " ").map(String.init)
                guard numbers.count > 1, let run = Double(numbers[0]), let wait = Double(numbers[1]) else {
                    continue
                }
                threads[name] = (run, wait)
            }
            self.threads = threads
        }

        /// Returns how many processors were used since a moment, or would have been without competition.
        func share(since earlier: Turns) -> Double {
            let passed = earlier.moment.duration(to: moment)
            let wanted = threads.reduce(0.0) { sum, thread in
                let before = earlier.threads[thread.key] ?? (0, 0)
                // Relative to the time in which nothing else used its processor.
                let own = passed / .nanoseconds(1) - (thread.value.wait - before.wait)
                return own > 0 ? sum + (thread.value.run - before.run) / own : sum
            }
            return max((computed - earlier.computed) / passed, wanted)
        }
    }
}
