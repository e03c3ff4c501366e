// SPDX-License-Identifier: Apache-2.0

/// The one member `{"<name>": <payload>}` that a synthesized enum is decoded from.
@frozen
@usableFromInline
struct TapeCaseContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// Name and payload.
    @usableFromInline let decoder: TapeCaseDecoder

    /// Takes both.
    @inlinable
    init(decoder: TapeCaseDecoder) { self.decoder = decoder }

    @inlinable
    var codingPath: [any CodingKey] { [] }

    @inlinable
    var allKeys: [Key] { Key(stringValue: decoder.name).map { [$0] } ?? [] }

    @inlinable
    func contains(_ key: Key) -> Bool { key.stringValue == decoder.name }

    @inlinable
    func decodeNil(forKey key: Key) throws -> Bool { try payload(of: key).decodeNil() }

    @inlinable
    func decode<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result {
        try payload(of: key).decode(type)
    }

    @inlinable
    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let payload = try payload(of: key)
        return KeyedDecodingContainer(
            TapeKeyedContainer<NestedKey>(payload, reads: TapeKeyMeaning(keysOfCase: type)))
    }

    @inlinable
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try payload(of: key).unkeyedContainer()
    }

    @usableFromInline
    func superDecoder() throws -> any Decoder { throw decoder.payload.missing(CodingStep.superclass) }

    @inlinable
    func superDecoder(forKey key: Key) throws -> any Decoder { try payload(of: key) }

    /// A decoder on the payload; throws for any key but the case's name.
    @inlinable
    func payload(of key: Key) throws -> TapeDecoder {
        guard contains(key) else { throw decoder.payload.missing(key) }
        return decoder.payload
    }
}
