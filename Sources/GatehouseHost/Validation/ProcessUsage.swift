// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc

/// What this process has of the system at one moment.
struct ProcessUsage {
    /// Memory with pages of files, in bytes.
    let memory: Int
    /// Open descriptors.
    let descriptors: Int
    /// Threads.
    let threads: Int

    /// As it is now.
    static var now: ProcessUsage {
        let pages =
            (try? SystemFile.bytes(of: "/proc/self/statm", limit: 4_096)).map {
                String(decoding: $0, as: UTF8.self).split(separator: " ")
            } ?? []
        return ProcessUsage(
            memory: (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * sysconf(Int32(_SC_PAGESIZE)),
            descriptors: SystemFile.names(inFolder: "/proc/self/fd").count,
            threads: SystemFile.names(inFolder: "/proc/self/task").count)
    }

    /// What the threads of this process have had of the processors at one moment.
    struct Turns {
        /// When that was.
        private let moment = ContinuousClock.now
        /// How long all threads have computed, those that have ended too.
        private let computed: Duration
        /// Of each thread, in nanoseconds, how long it has run and how long it has waited to run; empty where the system does not
        /// say so.
        private let threads: [String: (run: Double, wait: Double)]

        /// As it is now.
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

        /// How many processors were in use since an earlier moment, or would have been had others not had them.
        func share(since earlier: Turns) -> Double {
            let passed = earlier.moment.duration(to: moment)
            let wanted = threads.reduce(0.0) { sum, thread in
                let before = earlier.threads[thread.key] ?? (0, 0)
                // Of the time in which nobody else had its processor.
                let own = passed / .nanoseconds(1) - (thread.value.wait - before.wait)
                return own > 0 ? sum + (thread.value.run - before.run) / own : sum
            }
            return max((computed - earlier.computed) / passed, wanted)
        }
    }
}
