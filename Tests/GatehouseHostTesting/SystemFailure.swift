// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A system call that a test needs failed.
public struct SystemFailure: Error, CustomStringConvertible {
    /// The call and its subject, with the system's message.
    public let description: String

    /// The failure of a call, by the present `errno`.
    public init(_ call: String) {
        description = "\(call): \(unsafe String(cString: strerror(errno)))"
    }
}
