// SPDX-License-Identifier: Apache-2.0

/// Why something cannot be done in a child of the host.
package struct ChildFailure: Error, Equatable, Sendable {
    /// The call that the system refused.
    package let call: String
    /// Its word for the reason.
    package let reason: String

    /// A call that ended otherwise than it should.
    package init(_ call: String, reason: String) {
        self.call = call
        self.reason = reason
    }

    /// A call that gave an error number.
    package init(_ call: String, code: Int32) {
        self.call = call
        reason = SystemReason.text(of: code)
    }

    /// The memory that a process would share with the child is not to be had.
    package init(ofMemory failure: SystemFailure) { self.init("memfd_create", code: failure.code) }
}

extension ChildFailure: CustomStringConvertible {
    /// What it means, as a clause without a period.
    package var description: String { "no child process can be started: \(call): \(reason)" }
}
