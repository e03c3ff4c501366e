// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// A call that the system refused, with the system's message.
package struct SystemFailure: Error, Equatable, Sendable {
    /// The number that the system left in `errno`.
    package let code: Int32

    /// A refusal with this `errno` value.
    package init(code: Int32) { self.code = code }

    /// The refusal of the call that failed last on this thread.
    package static var last: SystemFailure { SystemFailure(code: errno) }
}

extension SystemFailure: CustomStringConvertible {
    /// The system's message, without a full stop.
    package var description: String { SystemReason.text(of: code) }
}
