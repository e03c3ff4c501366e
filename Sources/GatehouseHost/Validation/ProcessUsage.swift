// SPDX-License-Identifier: Apache-2.0

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

    /// The time that all threads of this process have computed so far.
    static var computed: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
