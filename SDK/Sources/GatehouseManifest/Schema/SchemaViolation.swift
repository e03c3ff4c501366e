// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// One thing in which a value differs from its schema, and where.
public struct SchemaViolation: Equatable, Sendable {
    /// The place in the value; of an unknown key, the key's own.
    public let pointer: JSONPointer
    /// What differs.
    public let reason: Reason

    /// What differs, with the value found.
    public enum Reason: Equatable, Sendable {
        /// A value of another kind; the expected ones in words, such as "an integer".
        case wrongKind(expected: [String], found: Value)
        /// None of the values that are listed.
        case notAChoice([Value], found: Value)
        /// A number below the limit, or on it where `excludesLimit`.
        case tooSmall(limit: Value, excludesLimit: Bool, found: Value)
        /// A number above the limit, or on it where `excludesLimit`.
        case tooLarge(limit: Value, excludesLimit: Bool, found: Value)
        /// A number that is no multiple of another.
        case notAMultiple(of: Value, found: Value)
        /// Fewer parts than asked for.
        case tooFew(Part, limit: Int, found: Int)
        /// More parts than allowed.
        case tooMany(Part, limit: Int, found: Int)
        /// Text that a pattern does not match.
        case mismatch(pattern: String, found: String)
        /// An element that came before.
        case repeated(Value)
        /// A key that has no meaning here, and those that have.
        case unknownKey(String, known: [String])
        /// A key that must be there.
        case missingKey(String)
        /// A key that another one needs.
        case missingBeside(key: String, needed: String)
        /// A value where none may be.
        case forbidden
        /// A value of none of several forms.
        case noForm
        /// A value of more than one form, where exactly one is asked for.
        case severalForms
        /// A value of a form that is excluded.
        case excluded(Value)
    }

    /// What is counted.
    public enum Part: String, Sendable {
        /// Unicode scalars of a text.
        case characters
        /// Elements of an array.
        case elements
        /// Members of an object.
        case members
    }

    /// A difference at a place.
    public init(_ pointer: JSONPointer, _ reason: Reason) {
        self.pointer = pointer
        self.reason = reason
    }
}

extension SchemaViolation: CustomStringConvertible {
    /// What was expected, what was found and what to do, without the place.
    public var description: String {
        switch reason {
        case .wrongKind(let expected, let found):
            "expected \(Self.choice(expected)), found \(found.quoted); correct it"
        case .notAChoice(let choices, let found):
            "expected \(Self.choice(choices.map(\.quoted))), found \(found.quoted)"
                + Self.advice(found.stringValue, choices.compactMap(\.stringValue), or: "choose one of them")
        case .tooSmall(let limit, let excludes, let found):
            "expected a number \(excludes ? "above" : "of at least") \(limit), found \(found.quoted); raise it"
        case .tooLarge(let limit, let excludes, let found):
            "expected a number \(excludes ? "below" : "of at most") \(limit), found \(found.quoted); lower it"
        case .notAMultiple(let step, let found):
            "expected a multiple of \(step), found \(found.quoted); write the nearest one"
        case .tooFew(let part, let limit, let found):
            "expected at least \(limit) \(part.rawValue), found \(found); add to it"
        case .tooMany(let part, let limit, let found):
            "expected at most \(limit) \(part.rawValue), found \(found); shorten it"
        case .mismatch(let pattern, let found):
            "expected text that matches \(pattern), found \(Value.string(found).quoted); correct it"
        case .repeated(let value): "expected each element once, found \(value.quoted) again; remove it"
        case .unknownKey(let key, let known):
            "unknown key \(Value.string(key).quoted)"
                + (NearMiss.suggestion(for: key, among: known).map { "; did you mean \"\($0)\"?" }
                    ?? (known.isEmpty
                        ? "; remove it"
                        : ", expected \(Self.choice(known.map { Value.string($0).quoted })); rename or remove it"))
        case .missingKey(let key): "expected the key \(Value.string(key).quoted), found none; add it"
        case .missingBeside(let key, let needed):
            "\(Value.string(key).quoted) says nothing without \(Value.string(needed).quoted); add it"
        case .forbidden: "nothing may stand here; remove it"
        case .noForm: "expected one of the forms that the schema lists, found another; see its description"
        case .severalForms:
            "expected exactly one of the forms that the schema lists, found several; choose one"
        case .excluded(let value): "\(value.quoted) may not stand here; choose another value"
        }
    }

    /// Words, the last two joined by "or".
    private static func choice(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "nothing" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }

    /// The near miss of a word, or else an advice.
    private static func advice(_ word: String?, _ known: [String], or advice: String) -> String {
        let near = word.flatMap { NearMiss.suggestion(for: $0, among: known) }
        return near.map { "; did you mean \"\($0)\"?" } ?? "; " + advice
    }
}
