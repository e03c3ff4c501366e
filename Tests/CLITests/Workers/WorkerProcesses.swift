// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc

/// The processes of a host's workers.
struct WorkerProcesses {
    /// The numbers of the processes that work for the host now; others of its children try libraries, or have ended.
    let identifiers: [pid_t]

    /// Looks for them.
    init(of host: ChildProcess) {
        identifiers = FileSystem.names(in: "/proc").compactMap { pid_t($0) }.filter { process in
            Self.isAlive(process, childOf: host.identifier)
                && Self.arguments(of: process, startedBy: host.identifier).contains(Array("work".utf8)[...])
        }
    }

    /// What a process was started with; nothing once it has ended.
    ///
    /// `posix_spawn` returns as soon as the child has left its parent's memory. The kernel places the arguments in the
    /// new one a little later, and until then a process that lives has none.
    private static func arguments(of process: pid_t, startedBy host: pid_t) -> [ArraySlice<UInt8>] {
        repeat {
            guard let bytes = try? FileSystem.read("/proc/\(process)/cmdline") else { return [] }
            if !bytes.isEmpty { return bytes.split(separator: 0) }
        } while isAlive(process, childOf: host)
        return []
    }

    /// Whether a process is a child of the host, and has not ended.
    private static func isAlive(_ process: pid_t, childOf host: pid_t) -> Bool {
        guard let bytes = try? FileSystem.read("/proc/\(process)/stat") else { return false }
        // What it does, and the number of its parent, are the first words after its name.
        let words = String(decoding: bytes, as: UTF8.self).split(separator: ") ").last?.split(separator: " ")
        guard let words, words.count > 1 else { return false }
        return words[0] != "Z" && words[0] != "X" && pid_t(words[1]) == host
    }

    /// Stops one of them, and returns when it stands still: a thread that runs stops when it is interrupted, and not before.
    static func stop(_ process: pid_t) throws {
        kill(process, SIGSTOP)
        for thread in FileSystem.names(in: "/proc/\(process)/task") {
            let path = "/proc/\(process)/task/\(thread)/stat"
            while !String(decoding: try FileSystem.read(path), as: UTF8.self).contains(") T ") {}
        }
    }
}
