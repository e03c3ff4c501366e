// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

extension Schema {
    /// The keys that the schema describes by name, each once, including its parts for the same object.
    public var keys: [String] {
        var seen: Set<String> = []
        return parts.flatMap { $0["properties"]?.objectValue?.map(\.key) ?? [] }.filter {
            seen.insert($0).inserted
        }
    }

    /// Whether the schema describes keys that it does not name.
    public var describesOtherKeys: Bool {
        parts.contains { part in
            part["additionalProperties"].map { $0 != false } ?? false || part["propertyNames"] != nil
        }
    }

    /// The schema, and all others that it applies to the same value.
    private var parts: [Value] { Self.parts(of: [document], in: document) }

    /// Returns schemas of a document, and all that they apply to the same value; each once, the nearest first.
    static func parts(of schemas: [Value], in document: Value) -> [Value] {
        var parts: [Value] = []
        var waiting = ArraySlice(schemas)
        while let part = waiting.popFirst() {
            guard !parts.contains(part) else { continue }
            parts.append(part)
            if case .string(let reference)? = part["$ref"],
                let target = target(of: reference, in: document)
            {
                waiting.append(target)
            }
            for key in ["allOf", "anyOf", "oneOf"] { waiting += part[key]?.arrayValue ?? [] }
            waiting += part["dependentSchemas"]?.objectValue?.map(\.value) ?? []
        }
        return parts
    }
}
