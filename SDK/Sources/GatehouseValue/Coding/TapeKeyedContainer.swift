// SPDX-License-Identifier: Apache-2.0

/// The members of an object on a tape, for a type with coding keys.
struct TapeKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// The members by name.
    let object: TapeObject

    var codingPath: [any CodingKey] { object.decoder.codingPath }

    var allKeys: [Key] { object.names.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { object.contains(key.stringValue) }

    func decodeNil(forKey key: Key) throws -> Bool { try object.value(key.stringValue).decodeNil() }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try object.value(key.stringValue).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try object.value(key.stringValue).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try object.value(CodingStep.superclass.stringValue) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try object.value(key.stringValue) }
}
