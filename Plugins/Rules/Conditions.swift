// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The expectations at places of a payload, in the order written.
struct Conditions: Codable, Sendable {
    /// One place and its expectation.
    private struct Condition {
        /// The place in the payload.
        let pointer: JSONPointer
        /// The expectation that the value at the place must meet.
        let expectation: Expectation
    }

    /// The conditions, in the order in which they are written.
    private let all: [Condition]
    /// The object they were read from.
    private let written: Value

    /// Creates no conditions, which hold for every action.
    init() { (all, written) = ([], [:]) }

    /// Reads an object whose names are JSON Pointers.
    init(from decoder: any Decoder) throws {
        written = try Value(from: decoder)
        guard let members = written.objectValue else {
            throw CodingFailure(
                at: decoder.codingPath, expected: "an object of JSON Pointers and what is expected there",
                found: written.kindName)
        }
        all = try members.map { key, expected in
            guard let pointer = try? JSONPointer(key) else {
                throw CodingFailure(
                    at: decoder.codingPath, expected: "JSON Pointers such as \"/id\" as names",
                    found: Value.string(key).json())
            }
            let place = decoder.codingPath + [SettingsName(stringValue: key)]
            return Condition(pointer: pointer, expectation: try Expectation(expected, at: place))
        }
    }

    /// Writes the object it was read from.
    func encode(to encoder: any Encoder) throws { try written.encode(to: encoder) }

    /// Returns whether the payload meets all expectations; a place that does not exist has no value.
    func hold(for action: AnyAction) -> Bool {
        all.allSatisfy { $0.expectation.takes(action.payload(at: $0.pointer)) }
    }
}
