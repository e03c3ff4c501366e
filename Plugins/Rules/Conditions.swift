// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// What must be where in a payload, in the order written.
struct Conditions: Codable, Sendable {
    /// One place and the value expected there.
    private struct Condition {
        /// Where to look in the payload.
        let pointer: JSONPointer
        /// What must be there, equal by value.
        let expected: Value
    }

    /// In the order written.
    private let all: [Condition]

    /// None, which hold for every action.
    init() { all = [] }

    /// Reads an object whose names are JSON Pointers.
    init(from decoder: any Decoder) throws {
        let value = try Value(from: decoder)
        guard let members = value.objectValue else {
            throw CodingFailure(
                at: decoder.codingPath, expected: "an object of JSON Pointers and values",
                found: value.kindName)
        }
        all = try members.map { key, expected in
            do {
                return Condition(pointer: try JSONPointer(key), expected: expected)
            } catch {
                throw CodingFailure(
                    at: decoder.codingPath, expected: "JSON Pointers such as \"/id\" as names",
                    found: Value.string(key).json())
            }
        }
    }

    /// Writes the object it was read from.
    func encode(to encoder: any Encoder) throws {
        try Value.object(Members(all.map { ($0.pointer.description, $0.expected) })).encode(to: encoder)
    }

    /// Whether every place of the payload holds what is expected there; a place that is not there holds nothing.
    func hold(for action: AnyAction) -> Bool {
        all.allSatisfy { action.payload(at: $0.pointer) == $0.expected }
    }
}
