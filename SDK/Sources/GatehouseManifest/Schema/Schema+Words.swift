// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

extension Schema {
    /// What a schema says in words of one place of a value.
    public struct Words: Equatable, Sendable {
        /// What `x-message` says is expected, such as "a file name without slashes"; nil for nothing.
        public var expected: String?
        /// Its title and its description, as one text; nil for neither.
        public var description: String?
    }

    /// What it says of a place, the nearest to it first where several of its parts are about the same place.
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

    /// The schemas of a part of a value.
    private static func steps(_ schema: Value, _ token: String) -> [Value] {
        if let member = schema["properties"]?[token] { return [member] }
        return [schema["additionalProperties"], Int(token) == nil ? nil : schema["items"]].compactMap { $0 }
    }
}
