// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What there is to know about one input of a run.
public struct InputStatus: Equatable, Sendable {
    /// What inputs there are, by the option that names them.
    public enum Kind: String, Sendable {
        /// A file or pipe, which ends.
        case input
        /// A socket that writers connect to.
        case listen
        /// A file that is followed.
        case tail
    }

    /// The kind of input, such as a file or a connection.
    public let kind: Kind
    /// The name by which messages call the input.
    public let name: String
    /// Lines that it brought, blank ones included.
    public internal(set) var lines: Int
    /// Lines that are no action.
    public internal(set) var rejected: Int
    /// Connections that are open; nil for what is no socket.
    public let connections: Int?
    /// Whether nothing more comes.
    public let hasEnded: Bool

    /// The status as the control socket tells it.
    var value: Value {
        var members: Members = [
            "name": .string(name), "kind": .string(kind.rawValue), "lines": Value(lines),
            "rejected": Value(rejected), "ended": .bool(hasEnded),
        ]
        if let connections { members["connections"] = Value(connections) }
        return .object(members)
    }
}
