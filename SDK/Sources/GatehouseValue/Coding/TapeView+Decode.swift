// SPDX-License-Identifier: Apache-2.0

extension TapeView {
    /// Decodes the value, without an intermediate tree; `CodingFailure(_:)` explains its errors.
    @inlinable
    public func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
        try TapeDecoder(tape: tape, index: index, origin: UInt32(truncatingIfNeeded: index)).decode(type)
    }

    /// Decodes an enum whose case has this name, with the value as the payload of the case.
    ///
    /// A single associated value without label is the payload itself, of whatever kind; labelled values are
    /// members of the payload; a case without values ignores it. Pointers in errors count from the payload.
    @inlinable
    public func decode<Result: Decodable>(_ type: Result.Type, asCase name: String) throws -> Result {
        let decoder = TapeCaseDecoder(name: name, tape: index == 0 ? tape : detached())
        do {
            return try Result(from: decoder)
        } catch DecodingError.typeMismatch(_, let context) where context.underlyingError == nil {
            throw DecodingError.unknownCase(name, of: type, context)
        }
    }
}

extension Tape {
    /// Decodes an enum from the name of a case that came without payload.
    ///
    /// Takes associated values from an empty object, so optional ones become nil.
    @inlinable
    public static func decode<Result: Decodable>(_ type: Result.Type, asCase name: String) throws -> Result {
        try emptyObject.root.decode(type, asCase: name)
    }
}

extension Value {
    /// Decodes the value; `CodingFailure(_:)` explains its errors.
    public func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
        if type == Value.self, let value = self as? Result { return value }
        return try Tape.make(self).root.decode(type)
    }
}

extension DecodingError {
    /// Adds the facts to the compiler's "Invalid number of keys", which does not name the unknown case.
    ///
    /// An error below the whole value is not about the name and stays as it is.
    @usableFromInline
    static func unknownCase(_ name: String, of type: any Any.Type, _ context: Context) -> DecodingError {
        guard context.codingPath.isEmpty else { return .typeMismatch(type, context) }
        let failure = CodingFailure(pointer: .whole, expected: "a case of \(type)", found: "\"\(name)\"")
        let text = "expected \(failure.expected), found \(failure.found)"
        return .typeMismatch(type, Context(codingPath: [], debugDescription: text, underlyingError: failure))
    }
}
