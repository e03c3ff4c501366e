// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// Types of Foundation whose own `Codable` is not the form in which they stand in JSON.
///
/// Foundation's coders know them by their types: a URL is a text there, data are base64, a decimal number is a number. So they are here.
/// Known by their names, because this module would otherwise make each host and plugin load Foundation; what each writes into a coder of
/// others has been the same since Swift 4.
enum FoundationForm {
    /// A text; the type itself writes an object of `relative` and `base`.
    case url
    /// Base64; the type itself writes an array of bytes, which is taken too.
    case data
    /// A number; the type itself writes an object of its parts.
    case decimal

    /// The form of a type; nil for all others.
    ///
    /// Cheap for types that cannot be one: their size says so.
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

    /// The forms of types that were asked for; a type has one for ever, and there are not many.
    private static let known = Mutex<[ObjectIdentifier: FoundationForm?]>([:])

    // MARK: - Writing

    /// What stands in JSON for what a type has written; that itself where there is nothing else, as for a URL with a base.
    ///
    /// - Throws: what is expected where JSON cannot hold it.
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

    /// What a type reads for a value in JSON; nil where it reads the value itself.
    ///
    /// - Throws: what is expected where nothing can be made of it.
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

    /// What a value is not.
    struct Misfit: Error {
        /// What would be taken.
        let expected: String
        /// Whether it is of the right kind at least.
        var isOfKind = true
    }
}
