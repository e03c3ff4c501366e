// SPDX-License-Identifier: Apache-2.0

extension TapeDecoder: SingleValueDecodingContainer {
    @inlinable
    func decodeNil() -> Bool { tape.tag(at: Int(index)) == TapeTag.null }

    @inlinable
    func decode<Plain: PlainValue>(_ type: Plain.Type) throws -> Plain { try plain(type) }

    /// Decodes a plain value, under a name that no requirement has.
    @inlinable
    func plain<Plain: PlainValue>(_ type: Plain.Type) throws -> Plain {
        try tape.decode(type, at: Int(index), origin: origin)
    }

    /// Decodes any type; the types of this module directly, all others through their own `init(from:)`.
    @inlinable
    func decode<Result: Decodable>(_ type: Result.Type) throws -> Result {
        if type == Value.self, let value = view.value as? Result { return value }
        if type == Tape.self, let tape = view.detached() as? Result { return tape }
        if let decoder = try decoderOfForm(type) { return try decode(type, by: decoder) }
        return try Result(from: self)
    }

    /// Returns a decoder for a Foundation type's own encoding, where JSON has another form; otherwise nil.
    @usableFromInline
    func decoderOfForm<Result: Decodable>(_ type: Result.Type) throws -> TapeDecoder? {
        guard let form = FoundationForm.of(type) else { return nil }
        do throws(FoundationForm.Misfit) {
            guard let own = try form.own(of: view) else { return nil }
            return TapeDecoder(tape: Tape.make(own), index: 0, origin: 0)
        } catch {
            guard error.isOfKind else { throw mismatch(type, error.expected) }
            throw DecodingError.dataCorrupted(context(expected: error.expected, found: view.json()))
        }
    }

    /// Decodes the value here by a decoder of its other form.
    @usableFromInline
    func decode<Result: Decodable>(_ type: Result.Type, by other: TapeDecoder) throws -> Result {
        do {
            return try Result(from: other)
        } catch {
            // Only this place shows where it failed.
            throw DecodingError.dataCorrupted(context(expected: "a \(type)", found: view.json()))
        }
    }

    // MARK: - Errors

    /// Returns the error for a value of another kind than the one expected.
    @usableFromInline
    func mismatch(_ type: any Any.Type, _ expected: String) -> DecodingError {
        let context = context(expected: expected, found: view.kind.name)
        return view.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    /// Returns the error for a value that a scalar type does not take.
    @usableFromInline
    func misfit(_ type: any PlainValue.Type) -> DecodingError {
        switch type {
        case is Bool.Type: mismatch(type, "a boolean")
        case is String.Type: mismatch(type, "a string")
        case let type as any FixedWidthInteger.Type:
            misfit(type, "an integer", range: "an integer from \(type.min) to \(type.max)")
        default: misfit(type, "a number", range: "a number that \(type) can hold")
        }
    }

    /// Returns the error for a number that the type cannot hold, or for anything but a number.
    private func misfit(_ type: any Any.Type, _ expected: String, range: String) -> DecodingError {
        switch view.kind {
        case .integer, .unsigned, .bigNumber: .dataCorrupted(context(expected: range, found: view.json()))
        case .double: .dataCorrupted(context(expected: expected, found: view.json()))
        default: mismatch(type, expected)
        }
    }

    /// Returns a context whose underlying error carries the facts for `CodingFailure`.
    @usableFromInline
    func context(expected: String, found: String) -> DecodingError.Context {
        let path = codingPath
        let failure = CodingFailure(pointer: JSONPointer(path), expected: expected, found: found)
        return DecodingError.Context(
            codingPath: path, debugDescription: "expected \(expected), found \(found)",
            underlyingError: failure)
    }

    /// Returns the error for a member that the object here lacks.
    @usableFromInline
    func missing(_ key: some CodingKey) -> DecodingError {
        .keyNotFound(key, context(expected: "a member \"\(key.stringValue)\"", found: "none"))
    }
}
