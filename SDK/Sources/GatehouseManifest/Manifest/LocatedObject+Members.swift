// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// Takes typed members out of a manifest or a note, and reports all problems, not only the first.
extension LocatedObject {
    /// Reports each unknown key, with the key that was probably meant.
    func reportUnknownKeys(knowing known: [String]) {
        // A key that is present cannot be the one meant by another.
        let free = known.filter { self[$0] == nil }
        for member in members where !known.contains(member.key) {
            let advice = NearMiss.suggestion(for: member.key, among: free).map { "write \"\($0)\"" }
            node.log.report(
                "expected one of the keys \(known.joined(separator: ", ")), found an unknown key; \(advice ?? "remove it")",
                at: member.keyPosition ?? member.value.position,
                path: node.path.appending(.key(LocatedNode.shortened(member.key))))
        }
    }

    /// Returns the value of a key; reports a missing one.
    func required(_ key: String, as expected: String, example: String) -> LocatedNode? {
        if let member = self[key] { return member }
        node.log.report(
            "expected \(expected), found none; add \"\(key)\": \(example)", at: node.value.position,
            path: node.path.appending(.key(key)))
        return nil
    }

    /// Returns the text of a required string; reports anything else.
    func string(_ key: String, as expected: String, example: String) -> (String, LocatedNode)? {
        guard let member = required(key, as: expected, example: example) else { return nil }
        guard case .string(let text) = member.value.content else {
            member.report(expecting: expected, advice: "write \"\(key)\": \(example)")
            return nil
        }
        return (text, member)
    }

    /// Returns a value read from a required string; reports anything else, with advice about the text.
    func text<Result>(
        _ key: String, as expected: String, example: String, advice: (String) -> String,
        _ read: (String) -> Result?
    ) -> Result? {
        guard let (text, node) = string(key, as: expected, example: example) else { return nil }
        if let result = read(text) { return result }
        node.report(expecting: expected, advice: advice(text))
        return nil
    }

    /// Returns a required whole number that fits in 32 bits; reports anything else.
    func number(_ key: String, as expected: String, example: String) -> (UInt32, LocatedNode)? {
        guard let member = required(key, as: expected, example: example) else { return nil }
        guard case .number(.integer(let number)) = member.value.content,
            let number = UInt32(exactly: number)
        else {
            member.report(expecting: expected, advice: "write \"\(key)\": \(example)")
            return nil
        }
        return (number, member)
    }
}

extension LocatedNode {
    /// Returns the members of an object; reports anything else, and repeated keys.
    ///
    /// - Parameter name: the name of the object, for the message about anything else.
    func object(named name: String) -> LocatedObject? {
        guard let object else {
            report(expected: "an object", advice: "write \(name) between { and }")
            return nil
        }
        for (member, first) in object.repeated {
            member.reportKey(
                "expected each key once, found it again after line \(first.line); remove one of them")
        }
        return object
    }

    /// Returns the elements of an array of strings; reports and leaves out anything else.
    func strings(each expected: String, example: String) -> [(text: String, node: LocatedNode)] {
        guard let elements else {
            report(expecting: "an array of strings", advice: "write \"\(key)\": \(example)")
            return []
        }
        return elements.compactMap { element in
            if case .string(let text) = element.value.content { return (text, element) }
            element.report(expecting: expected, advice: "write \"\(key)\": \(example)")
            return nil
        }
    }

    /// Reports an unexpected value; shows a string as it is, and the kind of anything else.
    func report(expecting expected: String, found: String? = nil, advice: String) {
        var words = found
        if words == nil, case .string(let text) = value.content {
            words = Value.string(Self.shortened(text)).json()
        }
        report(expected: expected, found: words, advice: advice)
    }

    /// Cuts a text that would make a message unreadable.
    static func shortened(_ text: String) -> String { text.count > 60 ? String(text.prefix(60)) + "…" : text }
}
