// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc

/// The processes of a host's workers.
struct WorkerProcesses {
    /// The numbers of the processes that the host has started.
    let identifiers: [pid_t]

    /// Looks for them.
    init(of host: ChildProcess) {
        identifiers = FileSystem.names(in: "/proc").compactMap { pid_t($0) }.filter { process in
            guard let bytes = try? FileSystem.read("/proc/\(process)/stat") else { return false }
            // The number of its parent is the second word after its name.
            let words = String(decoding: bytes, as: UTF8.self).split(separator: ") ").last?.split(
                separator: " ")
            return words?.dropFirst().first.flatMap { pid_t($0) } == host.identifier
        }
    }
}
