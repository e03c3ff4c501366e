// SPDX-License-Identifier: Apache-2.0

extension Value {
    /// Encodes anything `Encodable` without making text; `CodingFailure(_:)` explains what this throws.
    ///
    /// Numbers that are not finite and values deeper than `JSONText.maximumDepth` are refused.
    public init(encoding source: some Encodable) throws { self = try Value.node(encoding: source).value }

    /// Encodes an enum as the name of its case and a payload; the mirror of `TapeView.decode(_:asCase:)`.
    ///
    /// The payload is nil for a case without associated values, and for one whose values are all nil; a single
    /// value without label is the payload itself; otherwise the payload is an object. An enum whose raw value is
    /// a string gives that as the name.
    ///
    /// - Throws: `EncodingError` also for a type that does not encode as one member, such as a struct of two; a
    ///   pointer to something inside the payload begins with the name of the case.
    public static func encodeCase(_ source: some Encodable) throws -> (name: String, payload: Value?) {
        let node = try node(encoding: source)
        switch node.content {
        case .value(.string(let name)): return (name, nil)
        case .object(let slots) where slots.count == 1: return (slots[0].key, slots[0].slot.payload)
        case let other:
            let found =
                if case .object(let slots) = other { "an object of \(slots.count)" } else {
                    node.value.kindName
                }
            throw EncodingPath.whole.refusal(
                of: source, expected: "an object of one member, a case", found: found)
        }
    }

    /// The node that something was encoded into.
    private static func node<Source: Encodable>(encoding source: Source) throws -> EncodingNode {
        let node = EncodingNode(path: .whole)
        try source.encode(to: ValueEncoder(node: node))
        return node
    }
}

extension EncodingNode.Slot {
    /// The payload of the case that this slot belongs to.
    fileprivate var payload: Value? {
        guard case .node(let node) = self, case .object(let slots) = node.content else { return value }
        if slots.isEmpty { return nil }
        return node.isSingleUnlabelled ? slots[slots.count - 1].slot.value : value
    }
}
