// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// One entry of a configuration that is edited at random.
struct EditedEntry: Equatable {
    /// The gates that an entry may have; nil for none, which is an open one.
    static let gates: [Value?] = [
        nil, "bypass", ["state": "/flags/open"], ["control": ["type": "flip/now"], "default": "active"],
        ["control": ["type": "flip/now"], "default": "bypass"],
    ]

    /// The id.
    var id: String
    /// The id that it had before; nil for none.
    var was: String?
    /// The file of its library.
    let library: String
    /// Whether the rest runs without its library.
    let isOptional: Bool
    /// What a counter is set to; nil for the defaults.
    var settings: Value?
    /// What moves its gate; nil for an open one.
    var gate: Value?
    /// The prefix of what it hears; nil for its id.
    var input: String?
    /// The place of its slice; nil for its id.
    var slice: String?

    /// The entry as the file has it.
    var value: Value {
        var members: Members = ["id": .string(id), "library": .string(library)]
        members["was"] = was.map { .string($0) }
        if isOptional { members["optional"] = true }
        members["settings"] = settings
        members["gate"] = gate
        var lift = Members()
        lift["input"] = input.map { .string($0) }
        lift["state"] = slice.map { .string($0) }
        if !lift.isEmpty { members["lift"] = .object(lift) }
        return .object(members)
    }
}
