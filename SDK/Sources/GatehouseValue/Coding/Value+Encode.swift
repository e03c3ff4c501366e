// SPDX-License-Identifier: Apache-2.0

extension Value {
    /// Encodes anything `Encodable` without making text; `CodingFailure(_:)` explains its errors.
    ///
    /// Throws for numbers that are not finite and for values deeper than `JSONText.maximumDepth`.
    public init(encoding source: some Encodable) throws {
        self = try EncodingNode(path: .whole).value(of: source)
    }

    /// Encodes an enum as the name of its case and a payload; the mirror of `TapeView.decode(_:asCase:)`.
    ///
    /// The payload is nil for a case without associated values, and for one whose values are all nil. A single
    /// value without label is the payload itself. Otherwise the payload is an object. The name of an enum with
    /// string raw values is its raw value.
    ///
    /// - Throws: `EncodingError` also for a type that does not encode as one member, such as a struct of two; a
    ///   pointer into the payload begins with the name of the case.
    public static func encodeCase(_ source: some Encodable) throws -> (name: String, payload: Value?) {
        let node = EncodingNode(path: .whole)
        let value = try node.value(of: source)
        if node.form == .object, node.members.count == 1 { return (node.members[0].key, node.payload) }
        if node.form == .single, case .string(let name) = value { return (name, nil) }
        let found = node.form == .object ? "an object of \(node.members.count)" : value.kindName
        throw EncodingPath.whole.refusal(
            of: source, expected: "an object of one member, a case", found: found)
    }
}

extension EncodingNode {
    /// The payload of the case whose name is this object's only member.
    fileprivate var payload: Value? {
        guard let values = growing.first?.node, values.form == .object else { return value[members[0].key] }
        let payload = values.value
        if values.members.isEmpty { return nil }
        return values.isSingleUnlabelled ? values.members[values.members.count - 1].value : payload
    }
}
