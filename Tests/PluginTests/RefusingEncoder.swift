// SPDX-License-Identifier: Apache-2.0

/// An encoder that takes nothing: whoever encodes to it must throw on what it throws.
struct RefusingEncoder: Encoder {
    /// What it throws.
    struct Refusal: Error {}

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Members())
    }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { Elements() }
    func singleValueContainer() -> any SingleValueEncodingContainer { Elements() }

    /// Refuses the members of an object.
    private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let codingPath: [any CodingKey] = []

        mutating func encodeNil(forKey key: Key) throws { throw Refusal() }
        mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { throw Refusal() }
        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy keyType: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { KeyedEncodingContainer(Members<Nested>()) }
        mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { Elements() }
        mutating func superEncoder() -> any Encoder { RefusingEncoder() }
        mutating func superEncoder(forKey key: Key) -> any Encoder { RefusingEncoder() }
    }

    /// Refuses the elements of an array, and single values.
    private struct Elements: UnkeyedEncodingContainer, SingleValueEncodingContainer {
        let codingPath: [any CodingKey] = []
        let count = 0

        mutating func encodeNil() throws { throw Refusal() }
        mutating func encode<Value: Encodable>(_ value: Value) throws { throw Refusal() }
        mutating func nestedContainer<Nested: CodingKey>(
            keyedBy keyType: Nested.Type
        ) -> KeyedEncodingContainer<Nested> { KeyedEncodingContainer(Members<Nested>()) }
        mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
        mutating func superEncoder() -> any Encoder { RefusingEncoder() }
    }
}
