// SPDX-License-Identifier: Apache-2.0

/// The one member `{"<name>": <payload>}` from which a synthesized enum decodes.
struct TapeCaseContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// The decoder, with the name and payload of the case.
    let decoder: TapeCaseDecoder

    var codingPath: [any CodingKey] { [] }

    var allKeys: [Key] {
        guard let key = Key(stringValue: decoder.name) else { return [] }
        return [key]
    }

    func contains(_ key: Key) -> Bool { key.stringValue == decoder.name }

    func decodeNil(forKey key: Key) throws -> Bool { try payload(of: key).decodeNil() }

    func decode<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result {
        try payload(of: key).decode(type)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        let payload = try payload(of: key)
        let object = TapeObject(payload, reads: TapeKeyMeaning(keysOfCase: type))
        return KeyedDecodingContainer(TapeKeyedContainer<NestedKey>(object: object))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try payload(of: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { throw decoder.payload.missing(CodingStep.superclass) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try payload(of: key) }

    /// Returns a decoder for the payload; throws for any key but the case's name.
    func payload(of key: Key) throws -> TapeDecoder {
        guard contains(key) else { throw decoder.payload.missing(key) }
        return decoder.payload
    }
}
