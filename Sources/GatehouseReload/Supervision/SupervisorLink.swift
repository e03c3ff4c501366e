// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport
private import Glibc

/// Passes data from a supervisor to the host that it starts.
package enum SupervisorLink {
    /// The environment variable: a descriptor and the supervisor's process, separated by a colon.
    package static let variable = "GATEHOUSE_BLACK_BOX"

    /// Returns the file for the flight recorder, hidden from programs that plugins start, nil without a supervisor;
    /// call it once, before any other thread exists.
    package static func take() -> Int32? {
        defer { _ = unsafe unsetenv(variable) }
        let numbers = (SystemFile.variable(variable) ?? "").split(separator: ":").compactMap { Int32($0) }
        guard numbers.count == 2, numbers[1] == getppid(), fcntl(numbers[0], F_GETFD) >= 0 else { return nil }
        _ = fcntl(numbers[0], F_SETFD, FD_CLOEXEC)
        return numbers[0]
    }
}
