// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

extension Schema {
    /// A schema's words about one place of a value.
    public struct Words: Equatable, Sendable {
        /// The expectation in `x-message`, such as "a file name without slashes"; nil for none.
        public var expected: String?
        /// The title and the description, as one text; nil for neither.
        public var description: String?
    }

    /// Returns the words about a place; where several parts have some, the nearest to it.
    public func words(at pointer: JSONPointer) -> Words {
        var parts = Self.parts(of: [document], in: document)
        for token in pointer.tokens {
            parts = Self.parts(of: parts.flatMap { Self.steps($0, token) }, in: document)
        }
        let texts = { (keyword: SchemaKeyword) in parts.lazy.compactMap { $0[keyword.rawValue]?.stringValue }
        }
        let described = [texts(.title).first, texts(.description).first].compactMap { $0 }
        return Words(
            expected: texts(.message).first,
            description: described.isEmpty ? nil : described.joined(separator: ": "))
    }

    /// Returns the schemas of a part of a value.
    private static func steps(_ schema: Value, _ token: String) -> [Value] {
        if let member = schema["properties"]?[token] { return [member] }
        return [schema["additionalProperties"], Int(token) == nil ? nil : schema["items"]].compactMap { $0 }
    }
}
