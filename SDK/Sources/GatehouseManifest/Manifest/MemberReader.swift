// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// Takes typed members out of a JSON object and notes what is wrong with them, without stopping at the first.
struct MemberReader {
    /// What was found wrong so far.
    private(set) var problems: [ManifestProblem] = []
    /// The members by name; of repeated ones the first.
    private let members: [String: LocatedMember]
    /// Where the object starts, which is where a missing member is reported.
    private let position: TextPosition
    /// What stands in front of the object's keys in messages: empty, or the path to it with a dot.
    private let path: String

    /// Starts reading an object.
    ///
    /// - Parameters:
    ///   - path: of the object within the text; empty for the text itself.
    ///   - name: what the object is, for the message when it is something else.
    /// - Throws: `ManifestError` if the value is no object.
    init(_ value: LocatedValue, path: String = "", name: String) throws(ManifestError) {
        guard case .object(let list) = value.content else {
            throw ManifestError([
                ManifestProblem(
                    at: value.position, key: path, expected: "an object", found: value.kindName,
                    advice: "write \(name) between { and }")
            ])
        }
        self.path = path.isEmpty ? "" : path + "."
        position = value.position
        var members: [String: LocatedMember] = [:]
        for member in list {
            if let first = members[member.key] {
                problems.append(
                    ManifestProblem(
                        at: member.keyPosition, key: self.path + member.key, expected: "each key once",
                        found: "it again after line \(first.keyPosition.line)", advice: "remove one of them"))
            } else {
                members[member.key] = member
            }
        }
        self.members = members
    }

    /// Notes a problem with a value of this object.
    mutating func report(
        _ value: LocatedValue, key: String, expected: String, found: String? = nil, advice: String
    ) {
        problems.append(
            ManifestProblem(
                at: value.position, key: path + key, expected: expected, found: found ?? Self.name(value),
                advice: advice))
    }

    /// What stands for a member in messages.
    func path(of key: String) -> String { path + key }

    /// Adopts the problems of an object inside this one.
    mutating func adopt(_ others: [ManifestProblem]) { problems += others }

    /// Notes each member whose key is not among the known ones, with the key that was probably meant.
    mutating func reportUnknownKeys(knowing known: [String]) {
        for member in members.values where !known.contains(member.key) {
            // Keys that are present are no slips of this one.
            let free = known.filter { members[$0] == nil }
            let suggestion = NearMiss.suggestion(for: member.key, among: free)
            problems.append(
                ManifestProblem(
                    at: member.keyPosition, key: path + Self.shortened(member.key),
                    expected: "one of the keys \(known.joined(separator: ", "))", found: "an unknown key",
                    advice: suggestion.map { "write \"\($0)\"" } ?? "remove it"))
        }
    }

    /// The value of a key; a missing one is noted.
    mutating func required(_ key: String, as expected: String, example: String) -> LocatedValue? {
        if let member = members[key] { return member.value }
        problems.append(
            ManifestProblem(
                at: position, key: path + key, expected: expected, found: "none",
                advice: "add \"\(key)\": \(example)"))
        return nil
    }

    /// The value of a key, or nil without one.
    func optional(_ key: String) -> LocatedValue? { members[key]?.value }

    /// The text of a required string; anything else is noted.
    mutating func string(_ key: String, as expected: String, example: String) -> (String, LocatedValue)? {
        guard let value = required(key, as: expected, example: example) else { return nil }
        guard case .string(let text) = value.content else {
            report(value, key: key, expected: expected, advice: "write \"\(key)\": \(example)")
            return nil
        }
        return (text, value)
    }

    /// The elements of an array of strings with their places; anything else is noted and left out.
    mutating func strings(
        in list: LocatedValue, key: String, each expected: String, example: String
    ) -> [(text: String, key: String, value: LocatedValue)] {
        guard case .array(let elements) = list.content else {
            report(list, key: key, expected: "an array of strings", advice: "write \"\(key)\": \(example)")
            return []
        }
        var strings: [(text: String, key: String, value: LocatedValue)] = []
        for (index, element) in elements.enumerated() {
            let place = "\(key)[\(index)]"
            if case .string(let text) = element.content {
                strings.append((text, place, element))
            } else {
                report(element, key: place, expected: expected, advice: "write \"\(key)\": \(example)")
            }
        }
        return strings
    }

    /// A required whole number that fits in 32 bits; anything else is noted.
    mutating func number(_ key: String, as expected: String, example: String) -> (UInt32, LocatedValue)? {
        guard let value = required(key, as: expected, example: example) else { return nil }
        guard case .number(.integer(let number)) = value.content, let number = UInt32(exactly: number) else {
            report(value, key: key, expected: expected, advice: "write \"\(key)\": \(example)")
            return nil
        }
        return (number, value)
    }

    /// A value in words: strings as they are, scalars and containers by their kind.
    private static func name(_ value: LocatedValue) -> String {
        guard case .string(let text) = value.content else { return value.kindName }
        return Value.string(shortened(text)).json()
    }

    /// The text, cut where it would make a message unreadable.
    private static func shortened(_ text: String) -> String {
        text.count > 60 ? String(text.prefix(60)) + "…" : text
    }
}
