// SPDX-License-Identifier: Apache-2.0

/// Why a value does not fit a type: the place, and what was expected and found there.
public struct CodingFailure: Error, Equatable, Sendable {
    /// The place, counted from the whole value.
    public let pointer: JSONPointer
    /// The type's expectation, with its article: "an integer", "a member \"by\"".
    public let expected: String
    /// The value found: "a string", "none", "300".
    public let found: String

    /// Creates a failure from its parts.
    public init(pointer: JSONPointer, expected: String, found: String) {
        self.pointer = pointer
        self.expected = expected
        self.found = found
    }

    /// Takes the facts from a decoding or encoding error; any other error is reported at the whole value.
    public init(_ error: any Error) {
        switch error {
        case let failure as CodingFailure: self = failure
        case DecodingError.typeMismatch(let type, let context),
            DecodingError.valueNotFound(let type, let context):
            self.init(context.codingPath, context.underlyingError, "a \(type)", context.debugDescription)
        case DecodingError.keyNotFound(let key, let context):
            let expected = key.intValue.map { "element \($0)" } ?? "a member \"\(key.stringValue)\""
            self.init(context.codingPath, context.underlyingError, expected, "none")
        case DecodingError.dataCorrupted(let context):
            let found = "one that is refused: \(context.debugDescription)"
            self.init(context.codingPath, context.underlyingError, "an acceptable value", found)
        case EncodingError.invalidValue(_, let context):
            let found = "one that is refused: \(context.debugDescription)"
            self.init(context.codingPath, context.underlyingError, "a value that JSON can hold", found)
        default:
            self.init(
                pointer: .whole, expected: "an acceptable value", found: "one that is refused: \(error)")
        }
    }

    /// Prefers the failure that this module's coders attach to their errors.
    private init(_ path: [any CodingKey], _ underlying: (any Error)?, _ expected: String, _ found: String) {
        if let failure = underlying as? CodingFailure {
            self = failure
        } else {
            self.init(pointer: JSONPointer(path), expected: expected, found: found)
        }
    }
}

extension CodingFailure: CustomStringConvertible {
    /// The sentence: "/by: expected an integer, found a string".
    public var description: String {
        let place = pointer.tokens.isEmpty ? "the whole value" : pointer.description
        return "\(place): expected \(expected), found \(found)"
    }
}
