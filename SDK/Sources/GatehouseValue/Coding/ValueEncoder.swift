// SPDX-License-Identifier: Apache-2.0

/// Encodes into a node; no text is made on the way.
struct ValueEncoder: Encoder {
    /// Where the value goes.
    let node: EncodingNode

    var codingPath: [any CodingKey] { node.path.steps }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.beginObject()
        return KeyedEncodingContainer(ValueKeyedContainer<Key>(node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.beginArray()
        return ValueUnkeyedContainer(node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { node.content = .value(.null) }

    func encode(_ value: Bool) { node.content = .value(.bool(value)) }

    func encode(_ value: String) { node.content = .value(.string(value)) }

    func encode(_ value: Double) throws { node.content = .value(try node.encode(value)) }

    func encode(_ value: Float) throws { node.content = .value(try node.encode(value)) }

    func encode<Number: FixedWidthInteger & Encodable>(_ value: Number) {
        node.content = .value(Value(value))
    }

    func encode<Source: Encodable>(_ value: Source) throws { try value.encode(to: self) }
}
