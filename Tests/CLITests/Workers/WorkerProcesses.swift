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
            guard let bytes = try? FileSystem.read("/proc/\(process)/stat"),
                let arguments = try? FileSystem.read("/proc/\(process)/cmdline"),
                arguments.split(separator: 0).contains(Array("work".utf8)[...])
            else { return false }
            // The number of its parent is the second word after its name.
            let words = String(decoding: bytes, as: UTF8.self).split(separator: ") ").last?.split(
                separator: " ")
            return words?.dropFirst().first.flatMap { pid_t($0) } == host.identifier
        }
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
