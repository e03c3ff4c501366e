// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// How many processes the system has ended for want of memory, in the control group of this process or, where that tells nothing,
/// everywhere.
public struct MemoryKills: Equatable, Sendable {
    /// Whose processes are counted.
    public enum Scope: Sendable {
        /// Those of the control group, to which a supervisor and its host belong.
        case group
        /// Those of all.
        case system
    }

    /// Whose.
    public let scope: Scope
    /// How many there were, since the group was made or the system was started.
    public let count: Int

    /// The number now; nil where nobody tells it.
    public static var now: MemoryKills? {
        MemoryKills { path in
            (try? SystemFile.bytes(of: path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The number by what files say; nil for a file that there is not.
    init?(_ read: (String) -> String?) {
        let key = "oom_kill"
        for path in Self.groupFiles(read("/proc/self/cgroup") ?? "") {
            if let count = read(path).flatMap({ Self.number(key, in: $0) }) {
                (scope, self.count) = (.group, count)
                return
            }
        }
        guard let count = read("/proc/vmstat").flatMap({ Self.number(key, in: $0) }) else { return nil }
        (scope, self.count) = (.system, count)
    }

    /// Whether there are more than there were; false where they were counted elsewhere.
    public func isMore(than before: MemoryKills?) -> Bool {
        before.map { $0.scope == scope && count > $0.count } ?? false
    }

    /// Where the numbers of the process's own group stand: in the form of today, and in the one before.
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

    /// The number behind a word that begins a line.
    private static func number(_ key: String, in text: String) -> Int? {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == key { return Int(words[1]) }
        }
        return nil
    }
}
