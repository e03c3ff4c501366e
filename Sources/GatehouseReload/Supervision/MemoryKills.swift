// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// The number of processes the system has killed for lack of memory, in the control group of this process or, where that is
/// unknown, everywhere.
package struct MemoryKills: Equatable, Sendable {
    /// The scope of the count.
    package enum Scope: Sendable {
        /// The processes of the control group, to which a supervisor and its host belong.
        case group
        /// All processes.
        case system
    }

    /// The scope of the count.
    package let scope: Scope
    /// The number of kills since the group was created or the system was started.
    package let count: Int

    /// The current number; nil where it is unknown.
    package static var now: MemoryKills? {
        MemoryKills { path in
            (try? SystemFile.bytes(of: path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Reads the number from files; `read` returns nil for a missing file.
    package init?(_ read: (String) -> String?) {
        let key = "oom_kill"
        for path in Self.groupFiles(read("/proc/self/cgroup") ?? "") {
            if let count = read(path).flatMap({ SystemFile.number(after: key, in: $0) }) {
                (scope, self.count) = (.group, count)
                return
            }
        }
        guard let count = read("/proc/vmstat").flatMap({ SystemFile.number(after: key, in: $0) }) else {
            return nil
        }
        (scope, self.count) = (.system, count)
    }

    /// Whether the number has increased; false if the scope differs.
    package func isMore(than before: MemoryKills?) -> Bool {
        before.map { $0.scope == scope && count > $0.count } ?? false
    }

    /// Returns the files with the numbers of the process's own group: in the current format, and in the previous one.
    private static func groupFiles(_ groups: String) -> [String] {
        groups.split(separator: "\n").flatMap { line -> [String] in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return [] }
            let path = parts[2] == "/" ? "" : parts[2]
            if parts[0] == "0", parts[1].isEmpty {
                let folder = "/sys/fs/cgroup\(path)/"
                return [folder + "memory.events.local", folder + "memory.events"]
            }
            guard parts[1].split(separator: ",").contains("memory") else { return [] }
            return ["/sys/fs/cgroup/memory\(path)/memory.oom_control"]
        }
    }
}
