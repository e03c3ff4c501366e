// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// An objection of a plugin itself, or a contradiction found in it, during a rehearsal.
enum RehearsalObjection: Equatable, Sendable {
    /// The settings of an instance do not fit.
    case settings(CodingFailure)
    /// Anything else, in one sentence or several.
    case reasons([String])

    /// The objection as a child of the host writes it.
    var value: Value {
        switch self {
        case .settings(let failure):
            [
                "at": .string(failure.pointer.description), "expected": .string(failure.expected),
                "found": .string(failure.found),
            ]
        case .reasons(let reasons): ["reasons": .array(reasons.map(Value.string))]
        }
    }

    /// Reads a written objection; nil for anything else.
    init?(_ value: Value) {
        if case .array(let reasons) = value["reasons"] {
            self = .reasons(reasons.compactMap { if case .string(let reason) = $0 { reason } else { nil } })
        } else if case .string(let text) = value["at"], case .string(let expected) = value["expected"],
            case .string(let found) = value["found"], let pointer = try? JSONPointer(text)
        {
            self = .settings(CodingFailure(pointer: pointer, expected: expected, found: found))
        } else {
            return nil
        }
    }
}
