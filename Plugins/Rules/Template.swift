// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// A payload with holes that are filled from another payload.
///
/// `"$/pointer"` stands for that part of the payload and `"$"` for all of it, if it is the whole text. In a constant text,
/// one dollar more than wanted is written at its beginning and before a slash. Names of members are taken as they are.
enum Template: Codable, Sendable {
    /// A value without holes.
    case constant(Value)
    /// A part of the other payload.
    case part(JSONPointer)
    /// An array, each element a template of its own.
    case array([Template])
    /// Named templates, in order.
    case object([(name: String, template: Template)])

    /// Reads a template; a text with a dollar that could be meant as a hole and is none is an error with its place.
    init(from decoder: any Decoder) throws {
        var path = decoder.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
        try self.init(Value(from: decoder), at: &path)
    }

    /// Reads a template; `path` is the way to it, for errors.
    private init(_ value: Value, at path: inout [String]) throws {
        switch value {
        case .string(let text) where text.utf8.contains(DollarText.dollar):
            self = try Self.reading(text, at: path)
        case .array(let elements):
            var templates: [Template] = []
            for (index, element) in elements.enumerated() {
                path.append(String(index))
                templates.append(try Template(element, at: &path))
                path.removeLast()
            }
            self = .array(templates)
        case .object(let members):
            var templates: [(String, Template)] = []
            for (name, member) in members {
                path.append(name)
                templates.append((name, try Template(member, at: &path)))
                path.removeLast()
            }
            self = .object(templates)
        default: self = .constant(value)
        }
    }

    /// What a text with a dollar stands for.
    private static func reading(_ text: String, at path: [String]) throws -> Template {
        if let constant = DollarText.constant(text) { return .constant(.string(constant)) }
        guard text.utf8.first == DollarText.dollar, let part = try? JSONPointer(String(text.dropFirst()))
        else {
            throw CodingFailure(
                pointer: JSONPointer(tokens: path),
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

    /// The payload for an answer; nil when it is a part that the action does not have.
    ///
    /// In an object a member without value is left out, in an array it is null, so that the others keep their places.
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
