// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Finds payloads that a plugin takes, by what it says about those that it does not take.
///
/// "expected a member" adds one, "expected an integer" puts one there, and so on; where the words say nothing that could be
/// followed, a few values are tried one after the other.
struct PayloadSearch {
    /// Tries a payload; gives what does not fit, nil when it does.
    let attempt: (Value?) -> CodingFailure?

    /// So many payloads are tried for one action.
    private static let mostAttempts = 200

    /// What is tried where words do not help.
    private static let usual: [Value] = [
        "example", 1, true, .object(Members()), .array([]), 0.5, "2026-01-31T12:00:00Z",
        "https://example.org/",
        "00000000-0000-4000-8000-000000000000", "1", "info", "/example", 0, .null,
    ]

    /// A payload that the plugin takes, or why none was found.
    func payload() -> Result<Value?, CodingFailure> {
        guard var failure = attempt(nil) else { return .success(nil) }
        var payload = Value.null
        // How many of the usual values were tried at a place.
        var tried: [JSONPointer: Int] = [:]
        for _ in 0..<Self.mostAttempts {
            improve(&payload, by: failure, &tried)
            guard let next = attempt(payload) else { return .success(payload) }
            failure = next
        }
        return .failure(failure)
    }

    /// A payload that the plugin takes, with members too that may be left out; nil when none of some words names such a member.
    ///
    /// All words are members of the first payload that is tried, with values that nobody expects: what the plugin then says
    /// names those that it reads.
    func payload(_ payload: Value?, withMembersAmong words: [String]) -> Value? {
        guard case .object(let members) = payload ?? .object(Members()) else { return nil }
        var whole = members
        for word in words where members[word] == nil { whole[word] = Self.unexpected }
        var (value, found) = (Value.object(whole), Set<String>())
        var tried: [JSONPointer: Int] = [:]
        for _ in 0..<Self.mostAttempts {
            guard let failure = attempt(value) else {
                guard !found.isEmpty else { return nil }
                var result = members
                for word in words where found.contains(word) { result[word] = value[word] }
                return attempt(.object(result)) == nil ? .object(result) : nil
            }
            guard let word = failure.pointer.tokens.first, members[word] == nil else { return nil }
            found.insert(word)
            improve(&value, by: failure, &tried)
        }
        return nil
    }

    /// A value that hardly any member is.
    private static let unexpected: Value = [["unexpected": [.null]]]

    /// Changes a payload so that it fits better.
    private func improve(
        _ payload: inout Value, by failure: CodingFailure, _ tried: inout [JSONPointer: Int]
    ) {
        let expected = failure.expected
        if let key = Self.quoted(in: expected, behind: "a member ") {
            if payload[failure.pointer]?.objectValue == nil {
                Self.put(.object(Members()), at: failure.pointer, of: &payload)
            }
            return Self.put(.null, at: failure.pointer.appending(key), of: &payload)
        }
        if expected.hasPrefix("an array of more than ") {
            let elements = payload[failure.pointer]?.arrayValue ?? []
            return Self.put(.array(elements + [.null]), at: failure.pointer, of: &payload)
        }
        let known: [(String, Value)] = [
            ("an object", .object(Members())), ("an array", .array([])), ("a string", "example"),
            ("a boolean", true), ("an integer", 1), ("a number", 1),
        ]
        let suggestion = known.first { expected.hasPrefix($0.0) }?.1
        if let suggestion, payload[failure.pointer] != suggestion {
            return Self.put(suggestion, at: failure.pointer, of: &payload)
        }
        let index = tried[failure.pointer, default: 0]
        tried[failure.pointer] = index + 1
        Self.put(Self.usual[index % Self.usual.count], at: failure.pointer, of: &payload)
    }

    /// Puts a value at a place of another one; at one that is not there nothing happens.
    private static func put(_ value: Value, at pointer: JSONPointer, of whole: inout Value) {
        if pointer.tokens.isEmpty { return whole = value }
        _ = whole.set(value, at: pointer)
    }

    /// The text in quotes behind some words.
    private static func quoted(in text: String, behind words: String) -> String? {
        guard text.hasPrefix(words + "\"") else { return nil }
        let rest = text.dropFirst(words.count + 1)
        return rest.lastIndex(of: "\"").map { String(rest[..<$0]) }
    }
}
