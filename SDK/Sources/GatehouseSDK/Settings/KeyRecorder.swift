// SPDX-License-Identifier: Apache-2.0

/// Learns the keys that a value asks its encoder for, those of absent values too; encodes nothing.
///
/// It avoids the search for conformances, whose price grows with every image.
struct KeyRecorder: Encoder {
    /// The requests so far.
    private final class Record {
        /// Whether the encoding ends at the first value, because only the first key is wanted.
        let isFirstEnough: Bool
        /// The first key, if only that is wanted.
        var first: String?
        /// All keys in order, otherwise.
        var keys: [String] = []
        /// Whether anything but keys was requested.
        var isOther = false

        /// Creates a record without keys.
        init(isFirstEnough: Bool) { self.isFirstEnough = isFirstEnough }

        /// Records one key.
        func note(_ key: some CodingKey) {
            if !isFirstEnough {
                keys.append(key.stringValue)
            } else if first == nil {
                first = key.stringValue
            }
        }

        /// Passes over a value, unless nothing more is wanted.
        func pass() throws {
            if isFirstEnough { throw Enough() }
        }

        /// Records what is inside a value, where keys do not count.
        var inside: Record { first == nil ? Record(isFirstEnough: isFirstEnough) : self }
    }

    /// Ends the encoding.
    private struct Enough: Error {}

    /// Shared with the containers.
    private let record: Record

    /// Returns the keys of a value; nil when it does not encode by keys, or refuses.
    static func keys(of value: some Encodable) -> [String]? {
        let record = Record(isFirstEnough: false)
        guard (try? value.encode(to: KeyRecorder(record: record))) != nil, !record.isOther else { return nil }
        return record.keys
    }

    /// Returns the case name of an enum: the first key that its synthesized `encode(to:)` asks for.
    ///
    /// - Throws: `CodingFailure` when the type does not encode as an enum does.
    static func caseName(of action: some Encodable) throws -> String {
        let record = Record(isFirstEnough: true)
        do {
            try action.encode(to: KeyRecorder(record: record))
        } catch is Enough {}
        guard let name = record.first else {
            throw CodingFailure(
                pointer: .whole, expected: "an enum with Codable cases", found: "\(type(of: action))")
        }
        return name
    }

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keys<Key>(record: record))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { other() }
    func singleValueContainer() -> any SingleValueEncodingContainer { other() }

    /// Notes that there are no keys to learn.
    private func other() -> Values {
        record.isOther = true
        return Values(record: record)
    }

    /// A container that records the keys and ignores the values.
    private struct Keys<Key: CodingKey>: KeyedEncodingContainerProtocol {
        /// Shared with the encoder.
        let record: Record
        var codingPath: [any CodingKey] { [] }

        /// Records the key of a value.
        private func note(_ key: Key) throws {
            record.note(key)
            try record.pass()
        }

        mutating func encodeNil(forKey key: Key) throws { try note(key) }
        mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws { try note(key) }
        mutating func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws { try note(key) }

        // The default of each of these loses the key of an absent value.
        mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try note(key) }
        mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try note(key) }
        mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try note(key) }
        mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try note(key) }
        mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try note(key) }
        mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try note(key) }
        mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try note(key) }
        mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try note(key) }
        mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try note(key) }
        mutating func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try note(key) }
        mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try note(key) }
        mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try note(key) }
        mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try note(key) }
        mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try note(key) }
        mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try note(key) }
        mutating func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try note(key) }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy keyType: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            record.note(key)
            return KeyRecorder(record: record.inside).container(keyedBy: keyType)
        }

        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            record.note(key)
            return Values(record: record.inside)
        }

        mutating func superEncoder() -> any Encoder { KeyRecorder(record: record.inside) }

        mutating func superEncoder(forKey key: Key) -> any Encoder {
            record.note(key)
            return KeyRecorder(record: record.inside)
        }
    }

    /// Takes every value and keeps none.
    private struct Values: UnkeyedEncodingContainer, SingleValueEncodingContainer {
        /// Shared with the encoder.
        let record: Record
        var codingPath: [any CodingKey] { [] }
        var count: Int { 0 }

        mutating func encodeNil() throws { try record.pass() }
        mutating func encode<T: Encodable>(_ value: T) throws { try record.pass() }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy keyType: Nested.Type
        ) -> KeyedEncodingContainer<Nested> {
            KeyRecorder(record: record.inside).container(keyedBy: keyType)
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
        mutating func superEncoder() -> any Encoder { KeyRecorder(record: record.inside) }
    }
}
