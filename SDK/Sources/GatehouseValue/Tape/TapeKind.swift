// SPDX-License-Identifier: Apache-2.0

/// What kind of value a view stands on; the cases mirror `Value`.
@frozen
public enum TapeKind: Sendable, Hashable {
    /// The kinds that `Value` has too.
    case null, bool, integer, unsigned, double, bigNumber, string, array, object

    /// The kind with its article, as `Value.kindName` says it.
    public var name: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .unsigned: "an integer"
        case .double, .bigNumber: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
