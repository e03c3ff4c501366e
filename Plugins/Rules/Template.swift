// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// A payload with holes, to be filled from another payload.
///
/// `"$/pointer"` as the whole text means that part of the payload, and `"$"` all of it. In a constant text, dollars at the
/// beginning and before a slash are written with one more than meant. Names of members are literal.
enum Template: Codable, Sendable {
    /// A value without holes.
    case constant(Value)
    /// A part of the other payload.
    case part(JSONPointer)
    /// An array, each element a template of its own.
    case array([Template])
    /// Named templates, in order.
    case object([(name: String, template: Template)])

    /// Reads a template; throws an error with its place for a text whose dollar looks like a hole and is none.
    init(from decoder: any Decoder) throws { try self.init(Value(from: decoder), at: decoder.codingPath) }

    /// Reads a template; `path` is the way to it, for errors.
    private init(_ value: Value, at path: [any CodingKey]) throws {
        func read(_ part: Value, _ name: String) throws -> Template {
            try Template(part, at: path + [SettingsName(stringValue: name)])
        }
        switch value {
        case .string(let text) where text.utf8.contains(DollarText.dollar):
            self = try Self.reading(text, at: path)
        case .array(let elements): self = .array(try elements.enumerated().map { try read($1, "\($0)") })
        case .object(let members): self = .object(try members.map { ($0, try read($1, $0)) })
        default: self = .constant(value)
        }
    }

    /// Reads a text with a dollar.
    private static func reading(_ text: String, at path: [any CodingKey]) throws -> Template {
        if let constant = DollarText.constant(text) { return .constant(.string(constant)) }
        guard text.utf8.first == DollarText.dollar, let part = try? JSONPointer(String(text.dropFirst()))
        else {
            throw CodingFailure(
                at: path,
                expected:
                    "\"$\" and a JSON Pointer as the whole text, because nothing is put into a longer one, or \"$$\" for a dollar at the beginning or before a slash",
                found: Value.string(text).json())
        }
        return .part(part)
    }

    /// Writes the value it was read from.
    func encode(to encoder: any Encoder) throws { try pattern.encode(to: encoder) }

    /// The value it was read from.
    private var pattern: Value {
        switch self {
        case .constant(.string(let text)): .string(DollarText.written(text))
        case .constant(let value): value
        case .part(let pointer): .string("$" + pointer.description)
        case .array(let elements): .array(elements.map(\.pattern))
        case .object(let members): .object(Members(members.map { ($0.name, $0.template.pattern) }))
        }
    }

    /// Returns the payload for an answer; nil for a part that the action does not have.
    ///
    /// Omits an object's member without value; makes it null in an array, so that the others keep their places.
    func filled(from action: AnyAction) -> Value? {
        switch self {
        case .constant(let value): value
        case .part(let pointer): action.payload(at: pointer)
        case .array(let elements): .array(elements.map { $0.filled(from: action) ?? .null })
        case .object(let members):
            .object(
                Members(
                    members.compactMap { name, template in
                        template.filled(from: action).map { (name, $0) }
                    }))
        }
    }
}
