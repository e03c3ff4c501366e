// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The status of one input of a run.
public struct InputStatus: Equatable, Sendable {
    /// The kinds of inputs, by the option that names them.
    public enum Kind: String, Sendable {
        /// A file or pipe, which ends.
        case input
        /// A socket that writers connect to.
        case listen
        /// A followed file.
        case tail
    }

    /// The kind of input.
    public let kind: Kind
    /// The input's name in messages.
    public let name: String
    /// Lines, blank ones included.
    public internal(set) var lines: Int
    /// Lines that are not actions.
    public internal(set) var rejected: Int
    /// Open connections; nil for inputs other than sockets.
    public let connections: Int?
    /// Whether nothing more comes.
    public let hasEnded: Bool

    /// The status as the control socket writes it.
    var value: Value {
        var members: Members = [
            "name": .string(name), "kind": .string(kind.rawValue), "lines": Value(lines),
            "rejected": Value(rejected), "ended": .bool(hasEnded),
        ]
        if let connections { members["connections"] = Value(connections) }
        return .object(members)
    }
}
