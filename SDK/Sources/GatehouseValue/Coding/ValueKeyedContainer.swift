// SPDX-License-Identifier: Apache-2.0

/// Adds members to a node.
struct ValueKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    /// The object under construction.
    let node: EncodingNode

    var codingPath: [any CodingKey] { node.path.steps }

    func encodeNil(forKey key: Key) { node.append(.null, forKey: key.stringValue) }

    // Inlined as in `TapeKeyedContainer`.
    @inline(__always)
    func encode<Plain: PlainValue>(_ value: Plain, forKey key: Key) throws {
        node.append(try node.scalar(value, at: step(key)), forKey: key.stringValue)
    }

    func encode<Source: Encodable>(_ value: Source, forKey key: Key) throws {
        node.append(try node.encode(value, at: step(key)), forKey: key.stringValue)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let nested = node.appendNode(forKey: step(key))
        nested.isSingleUnlabelled = TapeKeyMeaning.isSingleUnlabelled(type)
        return ValueEncoder(node: nested).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        ValueEncoder(node: node.appendNode(forKey: step(key))).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { ValueEncoder(node: node.appendNode(forKey: .superclass)) }

    func superEncoder(forKey key: Key) -> any Encoder {
        ValueEncoder(node: node.appendNode(forKey: step(key)))
    }

    /// Returns the step to a member.
    private func step(_ key: Key) -> CodingStep { CodingStep(stringValue: key.stringValue) }
}
