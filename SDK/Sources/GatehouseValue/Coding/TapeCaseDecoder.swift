// SPDX-License-Identifier: Apache-2.0

/// Decodes an enum from the name of a case and a payload, as if from the object `{"<name>": <payload>}`.
///
/// Three words, so that `any Decoder` needs no box. Paths in errors count from the payload.
@frozen
@usableFromInline
struct TapeCaseDecoder: Decoder {
    /// The name of the case.
    @usableFromInline let name: String
    /// The payload: the root of this document.
    @usableFromInline let tape: Tape

    /// Creates a decoder from both parts.
    @inlinable
    init(name: String, tape: Tape) {
        self.name = name
        self.tape = tape
    }

    /// A decoder for the payload.
    @inlinable
    var payload: TapeDecoder { TapeDecoder(tape: tape, index: 0, origin: 0) }

    @inlinable
    var codingPath: [any CodingKey] { [] }

    @inlinable
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    @usableFromInline
    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(TapeCaseContainer<Key>(decoder: self))
    }

    @usableFromInline
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        throw payload.mismatch([Value].self, "the object of a case")
    }

    /// The name as a string, for enums whose raw values are their names.
    @usableFromInline
    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        TapeDecoder(tape: Tape.make(.string(name)), index: 0, origin: 0)
    }
}

extension Tape {
    /// Whether this is the shared empty object, which represents an absent payload.
    @inlinable var isAbsentPayload: Bool { storage === Tape.emptyObject.storage }
}
