// SPDX-License-Identifier: Apache-2.0

/// Adds elements to a node.
struct ValueUnkeyedContainer: UnkeyedEncodingContainer {
    /// The array under construction.
    let node: EncodingNode

    var codingPath: [any CodingKey] { node.path.steps }

    var count: Int { node.count }

    func encodeNil() { node.append(.value(.null)) }

    func encode(_ value: Bool) { node.append(.value(.bool(value))) }

    func encode(_ value: String) { node.append(.value(.string(value))) }

    func encode(_ value: Double) throws { node.append(.value(try node.encode(value, at: step))) }

    func encode(_ value: Float) throws { node.append(.value(try node.encode(value, at: step))) }

    func encode<Number: FixedWidthInteger & Encodable>(_ value: Number) { node.append(.value(Value(value))) }

    func encode<Source: Encodable>(_ value: Source) throws {
        node.append(.value(try node.encode(value, at: step)))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        ValueEncoder(node: nestedNode()).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        ValueEncoder(node: nestedNode()).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { ValueEncoder(node: nestedNode()) }

    /// An element that can still grow.
    private func nestedNode() -> EncodingNode {
        let nested = EncodingNode(path: node.path.appending(step))
        node.append(.node(nested))
        return nested
    }

    /// The step to the next element.
    private var step: CodingStep { CodingStep(intValue: node.count) }
}
