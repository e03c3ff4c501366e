// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Finds payloads that a plugin accepts, guided by its error messages.
///
/// "expected a member" adds one, "expected an integer" puts one there, and so on; where a message gives no hint, a few
/// values are tried one after the other.
struct PayloadSearch {
    /// Tries a payload; returns the failure, or nil if it is accepted.
    let attempt: (Value?) -> CodingFailure?

    /// The most payloads tried for one action.
    private static let mostAttempts = 200

    /// The values tried where messages do not help.
    private static let usual: [Value] = [
        "example", 1, true, .object(Members()), .array([]), 0.5, "2026-01-31T12:00:00Z",
        "https://example.org/",
        "00000000-0000-4000-8000-000000000000", "1", "info", "/example", 0, .null,
    ]

    /// Returns an accepted payload, or why none was found.
    func payload() -> Result<Value?, CodingFailure> {
        guard var failure = attempt(nil) else { return .success(nil) }
        var payload = Value.null
        // The number of usual values tried at a place.
        var tried: [JSONPointer: Int] = [:]
        for _ in 0..<Self.mostAttempts {
            improve(&payload, by: failure, &tried)
            guard let next = attempt(payload) else { return .success(payload) }
            failure = next
        }
        return .failure(failure)
    }

    /// Returns an accepted payload that includes optional members; nil when none of the words names such a member.
    ///
    /// The first attempt has all words as members, with values that nobody expects: the plugin's messages then name those that
    /// it reads.
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

    /// A value that hardly any member accepts.
    private static let unexpected: Value = [["unexpected": [.null]]]

    /// Changes a payload to address a failure.
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

    /// Sets the value at a place; does nothing if the place does not exist.
    private static func put(_ value: Value, at pointer: JSONPointer, of whole: inout Value) {
        if pointer.tokens.isEmpty { return whole = value }
        _ = whole.set(value, at: pointer)
    }

    /// Returns the quoted text after a prefix.
    private static func quoted(in text: String, behind words: String) -> String? {
        guard text.hasPrefix(words + "\"") else { return nil }
        let rest = text.dropFirst(words.count + 1)
        return rest.lastIndex(of: "\"").map { String(rest[..<$0]) }
    }
}
