// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// Takes typed members out of a manifest or a note, and notes what is wrong with them without stopping at the first.
extension LocatedObject {
    /// Notes each member whose key is not among the known ones, with the key that was probably meant.
    func reportUnknownKeys(knowing known: [String]) {
        // Keys that are present are no slips of another one.
        let free = known.filter { self[$0] == nil }
        for member in members where !known.contains(member.key) {
            let advice = NearMiss.suggestion(for: member.key, among: free).map { "write \"\($0)\"" }
            node.log.report(
                "expected one of the keys \(known.joined(separator: ", ")), found an unknown key; \(advice ?? "remove it")",
                at: member.keyPosition ?? member.value.position,
                path: node.path.appending(.key(LocatedNode.shortened(member.key))))
        }
    }

    /// The value of a key; a missing one is noted.
    func required(_ key: String, as expected: String, example: String) -> LocatedNode? {
        if let member = self[key] { return member }
        node.log.report(
            "expected \(expected), found none; add \"\(key)\": \(example)", at: node.value.position,
            path: node.path.appending(.key(key)))
        return nil
    }

    /// The text of a required string; anything else is noted.
    func string(_ key: String, as expected: String, example: String) -> (String, LocatedNode)? {
        guard let member = required(key, as: expected, example: example) else { return nil }
        guard case .string(let text) = member.value.content else {
            member.report(expecting: expected, advice: "write \"\(key)\": \(example)")
            return nil
        }
        return (text, member)
    }

    /// The text of a required string read as something; anything else is noted, with an advice about the text.
    func text<Result>(
        _ key: String, as expected: String, example: String, advice: (String) -> String,
        _ read: (String) -> Result?
    ) -> Result? {
        guard let (text, node) = string(key, as: expected, example: example) else { return nil }
        if let result = read(text) { return result }
        node.report(expecting: expected, advice: advice(text))
        return nil
    }

    /// A required whole number that fits in 32 bits; anything else is noted.
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
    /// The members of an object; anything else is noted, and so are repeated keys.
    ///
    /// - Parameter name: what the object is, for the message when it is something else.
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

    /// The elements of an array of strings; anything else is noted and left out.
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

    /// Notes that something else was expected; what was found is shown if it is a string, and otherwise its kind.
    func report(expecting expected: String, found: String? = nil, advice: String) {
        var words = found
        if words == nil, case .string(let text) = value.content {
            words = Value.string(Self.shortened(text)).json()
        }
        report(expected: expected, found: words, advice: advice)
    }

    /// The text, cut where it would make a message unreadable.
    static func shortened(_ text: String) -> String {
        text.count > 60 ? String(text.prefix(60)) + "…" : text
    }
}
