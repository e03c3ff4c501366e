// SPDX-License-Identifier: Apache-2.0

/// Encodes into a node, without making text.
struct ValueEncoder: Encoder {
    /// The node that takes the value.
    let node: EncodingNode

    var codingPath: [any CodingKey] { node.path.steps }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.begin(.object)
        return KeyedEncodingContainer(ValueKeyedContainer<Key>(node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.begin(.array)
        return ValueUnkeyedContainer(node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension ValueEncoder: SingleValueEncodingContainer {
    func encodeNil() { node.set(.null) }

    func encode<Plain: PlainValue>(_ value: Plain) throws { node.set(try node.scalar(value)) }

    func encode<Source: Encodable>(_ value: Source) throws { _ = try node.value(of: value) }
}
