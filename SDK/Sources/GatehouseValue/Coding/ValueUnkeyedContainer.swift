// SPDX-License-Identifier: Apache-2.0

/// Adds elements to a node.
struct ValueUnkeyedContainer: UnkeyedEncodingContainer {
    /// The array under construction.
    let node: EncodingNode

    var codingPath: [any CodingKey] { node.path.steps }

    var count: Int { node.count }

    func encodeNil() { node.append(.null) }

    func encode(_ value: Bool) { node.append(.bool(value)) }

    func encode(_ value: String) { node.append(.string(value)) }

    func encode(_ value: Double) throws { node.append(try node.encode(value, at: step)) }

    func encode(_ value: Float) throws { node.append(try node.encode(value, at: step)) }

    func encode<Number: FixedWidthInteger & Encodable>(_ value: Number) { node.append(Value(value)) }

    func encode<Source: Encodable>(_ value: Source) throws {
        node.append(try node.encode(value, at: step))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        ValueEncoder(node: node.appendNode()).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        ValueEncoder(node: node.appendNode()).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { ValueEncoder(node: node.appendNode()) }

    /// The step to the next element.
    private var step: CodingStep { CodingStep(intValue: node.count) }
}
