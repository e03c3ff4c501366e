// SPDX-License-Identifier: Apache-2.0

/// Adds elements to a node.
struct ValueUnkeyedContainer: UnkeyedEncodingContainer {
    /// The array under construction.
    let node: EncodingNode

    var codingPath: [any CodingKey] { node.path.steps }

    var count: Int { node.count }

    func encodeNil() { node.append(.null) }

    func encode<Plain: PlainValue>(_ value: Plain) throws { node.append(try node.scalar(value, at: step)) }

    func encode<Source: Encodable>(_ value: Source) throws { node.append(try node.encode(value, at: step)) }

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
