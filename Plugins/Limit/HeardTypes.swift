// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The types that a rule is about: one, or several in an array.
struct HeardTypes: Codable, Sendable {
    /// In the order written; at least one.
    private let patterns: [ActionTypePattern]
    /// Whether they were written as an array.
    private let isArray: Bool

    /// Reads a pattern, or an array of at least one.
    init(from decoder: any Decoder) throws {
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

    /// Writes what was read.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if isArray { try container.encode(patterns) } else { try container.encode(patterns[0]) }
    }

    /// Whether a type is one of them.
    func contain(_ type: ActionType) -> Bool { patterns.contains { $0.matches(type) } }
}
