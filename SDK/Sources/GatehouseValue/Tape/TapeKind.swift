// SPDX-License-Identifier: Apache-2.0

/// The kind of a view's value; the cases mirror `Value`.
@frozen
public enum TapeKind: Sendable, Hashable {
    /// The same kinds as `Value` has.
    case null, bool, integer, unsigned, double, bigNumber, string, array, object

    /// The kind with its article, as in `Value.kindName`.
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
