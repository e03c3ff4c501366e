// SPDX-License-Identifier: Apache-2.0

/// Decodes one value of a tape; two words, so that neither `any Decoder` nor its containers need a box.
///
/// It keeps no coding path: an error finds the path by walking down to its place.
@frozen
@usableFromInline
struct TapeDecoder: Decoder {
    /// The document to decode.
    @usableFromInline let tape: Tape
    /// The first word of the value to decode.
    @usableFromInline let index: UInt32
    /// The first word of the value at which paths start.
    @usableFromInline let origin: UInt32

    /// Creates a decoder for the value at `index`.
    @inlinable
    init(tape: Tape, index: Int, origin: UInt32) {
        self.tape = tape
        self.index = UInt32(truncatingIfNeeded: index)
        self.origin = origin
    }

    /// The value to decode.
    @inlinable
    var view: TapeView { TapeView(tape: tape, index: Int(index)) }

    /// Whether the value is an object.
    var isObject: Bool { tape.tag(at: Int(index)) == TapeTag.object }

    @usableFromInline
    var codingPath: [any CodingKey] { tape.steps(from: Int(origin), to: Int(index)) }

    @inlinable
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    @usableFromInline
    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard isObject else { throw mismatch([String: Value].self, "an object") }
        return KeyedDecodingContainer(TapeKeyedContainer<Key>(object: TapeObject(self, reads: .members)))
    }

    @usableFromInline
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try TapeUnkeyedContainer(self) }

    @inlinable
    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}
