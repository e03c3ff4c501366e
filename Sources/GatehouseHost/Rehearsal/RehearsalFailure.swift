// SPDX-License-Identifier: Apache-2.0

/// Why plugins cannot be tried in a child of the host.
struct RehearsalFailure: Error, Equatable, Sendable {
    /// The call that the system refused.
    let call: String
    /// Its word for the reason.
    let reason: String

    /// A call that ended otherwise than it should.
    init(_ call: String, reason: String) {
        self.call = call
        self.reason = reason
    }

    /// A call that gave an error number.
    init(_ call: String, code: Int32) {
        self.call = call
        reason = SystemReason.text(of: code)
    }
}

extension RehearsalFailure: CustomStringConvertible {
    /// What it means, for an operator.
    var description: String {
        "plugins are loaded without being tried before, since no child process can be started: \(call): \(reason)"
    }
}
