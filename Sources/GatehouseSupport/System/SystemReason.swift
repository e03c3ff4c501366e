// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The system's message for a failed call.
package enum SystemReason {
    /// The message for an `errno` value. The corresponding C function is `strerror`.
    package static func text(of code: Int32) -> String { unsafe String(cString: strerror(code)) }

    /// The message for the call that failed last on this thread.
    package static var last: String { text(of: errno) }
}
