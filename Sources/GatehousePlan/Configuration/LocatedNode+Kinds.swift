// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSupport
package import GatehouseValue

/// Hands out a value of the file as a type, or reports why not and gives nil.
extension LocatedNode {
    /// Notes that this value is of another kind, and gives up on it.
    package func fail<Result>(expected: String, advice: String) -> Result? {
        report(expected: expected, found: Quotation.of(value), advice: advice)
        return nil
    }

    /// The text, also an empty one.
    package func string() -> String? {
        guard case .string(let text) = value.content else {
            return fail(expected: "a string", advice: "put the text in double quotes")
        }
        return text
    }

    /// The boolean at the node; nil for another kind, which is told.
    package func bool() -> Bool? {
        guard case .bool(let bool) = value.content else {
            return fail(expected: "true or false", advice: "write it without quotes")
        }
        return bool
    }

    /// The whole number, if it is in the range; `1.0` is whole.
    package func integer(in range: ClosedRange<Int>) -> Int? {
        guard case .number(let number) = value.content, let integer = number.intValue, range.contains(integer)
        else {
            return fail(
                expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
                advice: "write one in that range")
        }
        return integer
    }

    /// The case whose raw value the text is.
    package func choice<Choice: RawRepresentable<String> & CaseIterable>() -> Choice? {
        let choices = Choice.allCases.map(\.rawValue)
        var suggestion: String?
        if case .string(let text) = value.content {
            if let choice = Choice(rawValue: text) { return choice }
            suggestion = NearMiss.suggestion(for: text, among: choices)
        }
        return fail(
            expected: Quotation.choice(of: choices),
            advice: suggestion.map { "did you mean \(Quotation.of($0))?" } ?? "choose one of them")
    }

    /// The value as it is, whatever its kind; duplicate keys anywhere in it are reported.
    package func anything() -> Value {
        reportDuplicateKeys()
        return value.value
    }

    /// The object as it is; duplicate keys anywhere in it are reported.
    package func plainObject() -> Value? {
        guard case .object = value.content else { return failNoObject() }
        return anything()
    }

    /// The members of the object, without those whose key came before: they are reported.
    package func membersOnce() -> LocatedObject? {
        guard let object else { return failNoObject() }
        for (member, first) in object.repeated {
            member.reportKey(
                "duplicate key \(Quotation.of(member.key)), first given on line \(first.line); keep one of them"
            )
        }
        return object
    }

    /// The elements of an array of texts, each read in one way; those that are wrong are left out.
    package func list<Element>(_ read: (LocatedNode) -> Element?) -> [Element]? {
        guard let elements else { return fail(expected: "an array of strings", advice: "write [\"…\"]") }
        return elements.compactMap(read)
    }

    /// Gives up on a value that should be an object.
    private func failNoObject<Result>() -> Result? {
        fail(expected: "an object", advice: "write { \"key\": value }")
    }

    /// Looks for duplicate keys in everything below, which no reader does for values of free form.
    private func reportDuplicateKeys() {
        guard case .object = value.content else {
            for element in elements ?? [] { element.reportDuplicateKeys() }
            return
        }
        for member in membersOnce()?.members ?? [] { member.reportDuplicateKeys() }
    }
}
