// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// A JSON Schema of the subset that Gatehouse checks, as in the manifest's `settings`.
///
/// The subset consists of the keywords of `SchemaKeyword`. A schema from elsewhere than a checked manifest counts as far as
/// it is understood.
public struct Schema: Equatable, Sendable {
    /// The schema as JSON.
    public let document: Value

    /// Wraps a schema as it is.
    public init(_ document: Value) { self.document = document }

    /// Returns all errors of a schema in a text, and everything beyond the understood subset.
    ///
    /// - Parameters:
    ///   - schema: the schema as read.
    ///   - key: the prefix of the keys in messages, such as `settings`.
    ///   - asksForWords: whether it is a mistake when a pattern has no words for messages beside it.
    public static func problems(
        in schema: LocatedValue, key: String, asksForWords: Bool = true
    ) -> [LocatedProblem] {
        let log = LocatedLog()
        SchemaReader(root: schema.value, asksForWords: asksForWords).read(
            LocatedNode(schema, path: LocatedPath([.key(key)]), log: log))
        return log.problems
    }

    /// Returns all differences between a value and the schema.
    ///
    /// - Parameters:
    ///   - value: judged as a whole, with everything in it.
    ///   - isPatch: whether the value is a JSON Merge Patch. A null in its objects removes a member and so counts as
    ///     absent; but where the schema names a default, which the null would remove, it is judged as a value.
    public func violations(of value: Value, isPatch: Bool = false) -> [SchemaViolation] {
        SchemaCheck(root: document).check(
            value, document, SchemaCheck.Place(pointer: .whole, isPatch: isPatch))
    }

    /// Returns the part of a schema that a reference such as `#/$defs/limit` names; nil if there is none.
    static func target(of reference: String, in root: Value) -> Value? {
        guard reference.utf8.first == UInt8(ascii: "#"),
            let pointer = try? JSONPointer(String(reference.dropFirst()))
        else { return nil }
        return root[pointer]
    }
}
