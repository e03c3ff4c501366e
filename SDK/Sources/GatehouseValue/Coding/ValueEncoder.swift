// SPDX-License-Identifier: Apache-2.0

/// Encodes into a node, without making text.
struct ValueEncoder: Encoder {
    /// The node that takes the value.
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
    func encodeNil() { node.set(.null) }

    func encode(_ value: Bool) { node.set(.bool(value)) }

    func encode(_ value: String) { node.set(.string(value)) }

    func encode(_ value: Double) throws { node.set(try node.encode(value)) }

    func encode(_ value: Float) throws { node.set(try node.encode(value)) }

    func encode<Number: FixedWidthInteger & Encodable>(_ value: Number) {
        node.set(Value(value))
    }

    func encode<Source: Encodable>(_ value: Source) throws { _ = try node.value(of: value) }
}
