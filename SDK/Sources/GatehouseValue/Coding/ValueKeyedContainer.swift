// SPDX-License-Identifier: Apache-2.0

/// Adds members to a node.
struct ValueKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    /// The object under construction.
    let node: EncodingNode

    var codingPath: [any CodingKey] { node.path.steps }

    func encodeNil(forKey key: Key) { node.append(.value(.null), forKey: key.stringValue) }

    func encode(_ value: Bool, forKey key: Key) { node.append(.value(.bool(value)), forKey: key.stringValue) }

    func encode(_ value: String, forKey key: Key) {
        node.append(.value(.string(value)), forKey: key.stringValue)
    }

    func encode(_ value: Double, forKey key: Key) throws {
        node.append(.value(try node.encode(value, at: step(key))), forKey: key.stringValue)
    }

    func encode(_ value: Float, forKey key: Key) throws {
        node.append(.value(try node.encode(value, at: step(key))), forKey: key.stringValue)
    }

    func encode<Number: FixedWidthInteger & Encodable>(_ value: Number, forKey key: Key) {
        node.append(.value(Value(value)), forKey: key.stringValue)
    }

    func encode<Source: Encodable>(_ value: Source, forKey key: Key) throws {
        node.append(.value(try node.encode(value, at: step(key))), forKey: key.stringValue)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let nested = nestedNode(step(key))
        nested.isSingleUnlabelled = TapeKeyMeaning.isSingleUnlabelled(type)
        return ValueEncoder(node: nested).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        ValueEncoder(node: nestedNode(step(key))).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { ValueEncoder(node: nestedNode(CodingStep.superclass)) }

    func superEncoder(forKey key: Key) -> any Encoder { ValueEncoder(node: nestedNode(step(key))) }

    /// A member that can still grow.
    private func nestedNode(_ step: CodingStep) -> EncodingNode {
        let nested = EncodingNode(path: node.path.appending(step))
        node.append(.node(nested), forKey: step.stringValue)
        return nested
    }

    /// The step to a member.
    private func step(_ key: Key) -> CodingStep { CodingStep(stringValue: key.stringValue) }
}
