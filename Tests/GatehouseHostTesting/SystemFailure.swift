// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A system call that a test needs and that did not work.
public struct SystemFailure: Error, CustomStringConvertible {
    /// The call and its subject, with the system's word for what went wrong.
    public let description: String

    /// The failure of a call, by `errno` as it is.
    public init(_ call: String) {
        description = "\(call): \(unsafe String(cString: strerror(errno)))"
    }
}
