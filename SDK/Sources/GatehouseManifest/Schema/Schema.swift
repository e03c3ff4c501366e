// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// A JSON Schema of the subset that Gatehouse checks, as it stands in the manifest's `settings`.
///
/// Understood are the keywords of `SchemaKeyword`. A schema that was not read from a checked manifest is taken as far as it
/// is understood.
public struct Schema: Equatable, Sendable {
    /// The schema as JSON.
    public let document: Value

    /// Takes a schema as it is.
    public init(_ document: Value) { self.document = document }

    /// Everything that a schema in a text says beyond the understood subset, or wrongly.
    ///
    /// - Parameters:
    ///   - schema: the schema as read.
    ///   - key: what stands before the keys in messages, such as `settings`.
    ///   - asksForWords: whether it is a mistake when a pattern has no words for messages beside it.
    public static func problems(
        in schema: LocatedValue, key: String, asksForWords: Bool = true
    ) -> [LocatedProblem] {
        let log = LocatedLog()
        SchemaReader(root: schema.value, asksForWords: asksForWords).read(
            LocatedNode(schema, path: LocatedPath([.key(key)]), log: log))
        return log.problems
    }

    /// Everything in which a value differs from what the schema asks; empty if nothing.
    ///
    /// - Parameters:
    ///   - value: judged as a whole, with everything in it.
    ///   - isPatch: whether the value is a JSON Merge Patch, in whose objects a null removes a member and so counts as
    ///     absent; it is judged as a value where the schema names a default, which it would take away.
    public func violations(of value: Value, isPatch: Bool = false) -> [SchemaViolation] {
        SchemaCheck(root: document).check(
            value, document, SchemaCheck.Place(pointer: .whole, isPatch: isPatch))
    }

    /// The part of a schema that a reference such as `#/$defs/limit` names; nil if there is none.
    static func target(of reference: String, in root: Value) -> Value? {
        guard reference.utf8.first == UInt8(ascii: "#"),
            let pointer = try? JSONPointer(String(reference.dropFirst()))
        else { return nil }
        return root[pointer]
    }
}
