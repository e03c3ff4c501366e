// SPDX-License-Identifier: Apache-2.0

package import GatehouseSDK

/// The status of one input of a run.
package struct InputStatus: Equatable, Sendable {
    /// The kinds of inputs, by the option that names them.
    package enum Kind: String, Sendable {
        /// A file or pipe, which ends.
        case input
        /// A socket that writers connect to.
        case listen
        /// A followed file.
        case tail
    }

    /// The kind of input.
    package let kind: Kind
    /// The input's name in messages.
    package let name: String
    /// Lines, blank ones included.
    package internal(set) var lines: Int
    /// Lines that are not actions.
    package internal(set) var rejected: Int
    /// Open connections; nil for inputs other than sockets.
    package let connections: Int?
    /// Whether nothing more comes.
    package let hasEnded: Bool

    /// The status as the control socket writes it.
    package var value: Value {
        var members: Members = [
            "name": .string(name), "kind": .string(kind.rawValue), "lines": Value(lines),
            "rejected": Value(rejected), "ended": .bool(hasEnded),
        ]
        if let connections { members["connections"] = Value(connections) }
        return .object(members)
    }
}
