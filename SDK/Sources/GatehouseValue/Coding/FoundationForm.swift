// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Types of Foundation whose own `Codable` differs from their usual form in JSON.
///
/// Foundation's coders recognize these types: they write a URL as a text, data as base64, a decimal number as a number. This
/// module does the same. It recognizes the types by their names, because it would otherwise make each host and plugin load
/// Foundation. Their encoding for other coders has been the same since Swift 4.
enum FoundationForm {
    /// A text; the type itself writes an object of `relative` and `base`.
    case url
    /// Base64; the type itself writes an array of bytes, which is accepted too.
    case data
    /// A number; the type itself writes an object of its parts.
    case decimal

    /// Returns the form of a type; nil for all others.
    ///
    /// Cheap for most types: their size rules them out.
    static func of<Subject>(_ type: Subject.Type) -> FoundationForm? {
        guard MemoryLayout<Subject>.size == 16 || MemoryLayout<Subject>.size == 20 else { return nil }
        let id = ObjectIdentifier(type)
        if let known = known.withLock({ $0[id] }) { return known }
        let form: FoundationForm? =
            switch _typeName(type) {
            case "FoundationEssentials.URL", "Foundation.URL": .url
            case "FoundationEssentials.Data", "Foundation.Data": .data
            case "FoundationEssentials.Decimal", "Foundation.Decimal", "__C.NSDecimal": .decimal
            default: nil
            }
        known.withLock { $0[id] = .some(form) }
        return form
    }

    /// The forms of types seen so far; a type has one for ever, and there are not many.
    private static let known = Mutex<[ObjectIdentifier: FoundationForm?]>([:])

    // MARK: - Writing

    /// Converts a type's own encoding to JSON; keeps it where there is no other form, as for a URL with a base.
    ///
    /// - Throws: the expectation, where JSON cannot hold the value.
    func value(of own: Value) throws(Misfit) -> Value {
        switch self {
        case .url: return own.objectValue?.count == 1 ? own["relative"] ?? own : own
        case .data: return Base64.text(of: own).map(Value.string) ?? own
        case .decimal:
            guard let number = DecimalParts(own)?.number else {
                throw Misfit(expected: "a whole number, or one of at most 15 digits")
            }
            return number
        }
    }

    // MARK: - Reading

    /// Converts a value in JSON to the type's own encoding; nil where the type reads the value itself.
    ///
    /// - Throws: the expectation, where no conversion is possible.
    func own(of value: TapeView) throws(Misfit) -> Value? {
        switch (self, value.kind) {
        case (.url, .string): return ["relative": .string(value.stringValue ?? "")]
        case (.data, .string):
            guard let bytes = Base64.bytes(of: value.stringValue ?? "") else {
                throw Misfit(expected: "base64")
            }
            return .array(bytes.map { .integer(Int64($0)) })
        case (.decimal, .integer), (.decimal, .unsigned), (.decimal, .double), (.decimal, .bigNumber):
            guard let parts = DecimalParts(value.json()) else {
                throw Misfit(expected: "a number that Decimal can hold")
            }
            return parts.value
        case (.url, .object), (.data, .array), (.decimal, .object), (_, .null): return nil
        case (.url, _): throw Misfit(expected: "a string", isOfKind: false)
        case (.data, _): throw Misfit(expected: "a string of base64", isOfKind: false)
        case (.decimal, _): throw Misfit(expected: "a number", isOfKind: false)
        }
    }

    /// The expectation that a value does not meet.
    struct Misfit: Error {
        /// An acceptable value.
        let expected: String
        /// Whether the value is at least of the right kind.
        var isOfKind = true
    }
}
