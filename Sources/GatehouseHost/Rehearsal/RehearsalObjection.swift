// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What a plugin itself objects to, or is found to contradict itself in, when it is tried.
enum RehearsalObjection: Equatable, Sendable {
    /// The settings of an instance do not fit.
    case settings(CodingFailure)
    /// Anything else, in words.
    case reason(String)

    /// The objection as a child of the host hands it over.
    var value: Value {
        switch self {
        case .settings(let failure):
            [
                "at": .string(failure.pointer.description), "expected": .string(failure.expected),
                "found": .string(failure.found),
            ]
        case .reason(let reason): ["reason": .string(reason)]
        }
    }

    /// Reads what was handed over; nil for anything else.
    init?(_ value: Value) {
        if case .string(let reason) = value["reason"] {
            self = .reason(reason)
        } else if case .string(let text) = value["at"], case .string(let expected) = value["expected"],
            case .string(let found) = value["found"], let pointer = try? JSONPointer(text)
        {
            self = .settings(CodingFailure(pointer: pointer, expected: expected, found: found))
        } else {
            return nil
        }
    }
}
