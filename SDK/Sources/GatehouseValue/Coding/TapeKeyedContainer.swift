// SPDX-License-Identifier: Apache-2.0

/// The members of an object on a tape, for a type with coding keys.
struct TapeKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    /// The members by name.
    let object: TapeObject

    var codingPath: [any CodingKey] { object.decoder.codingPath }

    var allKeys: [Key] { object.names.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { object.contains(key.stringValue) }

    func decodeNil(forKey key: Key) throws -> Bool { try object.value(key.stringValue).decodeNil() }

    // Stands for a method per standard type. Inlined into each of them, because what is generic in the key is never specialised.
    @inline(__always)
    func decode<Plain: PlainValue>(_ type: Plain.Type, forKey key: Key) throws -> Plain {
        try object.decode(type, key.stringValue)
    }

    func decode<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result {
        try object.value(key.stringValue).decode(type)
    }

    // The protocol has a default for each standard type, which looks the key up three times and would win over a generic method; the
    // common types avoid it.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try object.decodeIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try object.decodeIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try object.decodeIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try object.decodeIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try object.decodeIfPresent(type, key.stringValue)
    }

    func decodeIfPresent<Result: Decodable>(_ type: Result.Type, forKey key: Key) throws -> Result? {
        guard let place = try object.placeUnlessNull(key.stringValue) else { return nil }
        return try object.value(at: place).decode(type)
    }

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
