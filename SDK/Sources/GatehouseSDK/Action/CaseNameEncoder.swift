// SPDX-License-Identifier: Apache-2.0

/// Learns an enum's case name from the first key its synthesized `encode(to:)` asks for; encodes nothing.
struct CaseNameEncoder: Encoder {
    /// Keeps the name for `name(of:)`.
    private final class Recorder {
        /// The first key asked for.
        var name: String?
    }

    /// Ends the encoding at the first value.
    private struct Enough: Error {}

    /// Shared with the container.
    private let recorder = Recorder()

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Returns the case name of an action.
    ///
    /// - Throws: `CodingFailure` when the type does not encode as an enum does.
    static func name(of action: some Encodable) throws -> String {
        let encoder = CaseNameEncoder()
        do {
            try action.encode(to: encoder)
        } catch is Enough {}
        guard let name = encoder.recorder.name else {
            throw CodingFailure(
                pointer: JSONPointer(tokens: []), expected: "an enum with Codable cases",
                found: "\(type(of: action))")
        }
        return name
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Container<Key>(recorder: recorder))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Values() }
    func singleValueContainer() -> any SingleValueEncodingContainer { Values() }

    /// Records the first key; below it, refuses the first value.
    private struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
        /// Shared with the encoder.
        let recorder: Recorder
        var codingPath: [any CodingKey] { [] }

        /// Keeps the first key and ignores later ones.
        private func record(_ key: Key) {
            if recorder.name == nil { recorder.name = key.stringValue }
        }

        mutating func encodeNil(forKey key: Key) throws {
            record(key)
            throw Enough()
        }

        mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
            record(key)
            throw Enough()
        }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy keyType: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            record(key)
            return KeyedEncodingContainer(Container<Nested>(recorder: recorder))
        }

        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            record(key)
            return Values()
        }

        mutating func superEncoder() -> any Encoder { CaseNameEncoder() }
        mutating func superEncoder(forKey key: Key) -> any Encoder { CaseNameEncoder() }
    }

    /// A container that refuses every value, since only keys matter.
    private struct Values: UnkeyedEncodingContainer, SingleValueEncodingContainer {
        var codingPath: [any CodingKey] { [] }
        var count: Int { 0 }

        mutating func encodeNil() throws { throw Enough() }
        mutating func encode<T: Encodable>(_ value: T) throws { throw Enough() }

        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy keyType: Nested.Type
        ) -> KeyedEncodingContainer<Nested> {
            CaseNameEncoder().container(keyedBy: keyType)
        }

        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { Values() }
        mutating func superEncoder() -> any Encoder { CaseNameEncoder() }
    }
}
