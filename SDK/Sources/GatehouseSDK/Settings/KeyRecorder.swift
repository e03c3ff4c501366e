// SPDX-License-Identifier: Apache-2.0

/// Learns a value's encoding keys, including those of absent values; encodes nothing.
///
/// It avoids the search for conformances, whose price grows with every image.
struct KeyRecorder: Encoder {
    /// The requests so far.
    private final class Record {
        /// The keys, in order.
        var keys: [String] = []
        /// Whether anything but keys was requested.
        var isOther = false
    }

    /// Shared with the containers.
    private let record = Record()

    /// Returns the keys of a value; nil when it does not encode by keys, or refuses.
    static func keys(of value: some Encodable) -> [String]? {
        let recorder = KeyRecorder()
        guard (try? value.encode(to: recorder)) != nil, !recorder.record.isOther else { return nil }
        return recorder.record.keys
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
        return Values()
    }

    /// A container that records the keys and ignores the values.
    private struct Keys<Key: CodingKey>: KeyedEncodingContainerProtocol {
        /// The record shared with the encoder.
        let record: Record
        var codingPath: [any CodingKey] { [] }

        /// Records one key.
        private func note(_ key: Key) { record.keys.append(key.stringValue) }

        mutating func encodeNil(forKey key: Key) { note(key) }
        mutating func encode<T: Encodable>(_ value: T, forKey key: Key) { note(key) }
        mutating func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) { note(key) }

        // The default of each of these loses the key of an absent value.
        mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) { note(key) }
        mutating func encodeIfPresent(_ value: String?, forKey key: Key) { note(key) }
        mutating func encodeIfPresent(_ value: Double?, forKey key: Key) { note(key) }
        mutating func encodeIfPresent(_ value: Float?, forKey key: Key) { note(key) }
        mutating func encodeIfPresent(_ value: Int?, forKey key: Key) { note(key) }
        mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) { note(key) }
        mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) { note(key) }
        mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) { note(key) }
        mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) { note(key) }
        mutating func encodeIfPresent(_ value: Int128?, forKey key: Key) { note(key) }
        mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) { note(key) }
        mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) { note(key) }
        mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) { note(key) }
        mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) { note(key) }
        mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) { note(key) }
        mutating func encodeIfPresent(_ value: UInt128?, forKey key: Key) { note(key) }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy keyType: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            note(key)
            return KeyRecorder().container(keyedBy: keyType)
        }

        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            note(key)
            return Values()
        }

        mutating func superEncoder() -> any Encoder { KeyRecorder() }

        mutating func superEncoder(forKey key: Key) -> any Encoder {
            note(key)
            return KeyRecorder()
        }
    }

    /// Takes every value and keeps none.
    private struct Values: UnkeyedEncodingContainer, SingleValueEncodingContainer {
        var codingPath: [any CodingKey] { [] }
        var count: Int { 0 }

        mutating func encodeNil() {}
        mutating func encode<T: Encodable>(_ value: T) {}

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy keyType: Nested.Type
        ) -> KeyedEncodingContainer<Nested> {
            KeyRecorder().container(keyedBy: keyType)
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { Values() }
        mutating func superEncoder() -> any Encoder { KeyRecorder() }
    }
}
