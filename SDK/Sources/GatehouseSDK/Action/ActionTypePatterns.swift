// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// The action types that a setting applies to: one pattern, or several in an array.
///
/// ```json
/// { "when": "orders/placed" }
/// { "when": ["deploy/*", "build/done"] }
/// ```
public struct ActionTypePatterns: Hashable, Sendable {
    /// In the order written; at least one.
    private let patterns: [ActionTypePattern]
    /// Whether they were written as an array.
    private let isArray: Bool

    /// Returns whether any pattern covers a type.
    public func contains(_ type: ActionType) -> Bool { patterns.contains { $0.matches(type) } }
}

extension ActionTypePatterns: Codable {
    /// Reads a pattern, or an array of at least one; throws an error with its place for anything else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        switch try container.decode(Value.self) {
        case .string:
            patterns = [try container.decode(ActionTypePattern.self)]
            isArray = false
        case .array(let elements) where !elements.isEmpty:
            patterns = try container.decode([ActionTypePattern].self)
            isArray = true
        case let other:
            throw CodingFailure(
                at: decoder.codingPath, expected: "an action type, or an array of at least one",
                found: other.arrayValue == nil ? other.kindName : "an empty one")
        }
    }

    /// Writes the patterns in the form they were read in.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if isArray { try container.encode(patterns) } else { try container.encode(patterns[0]) }
    }
}
