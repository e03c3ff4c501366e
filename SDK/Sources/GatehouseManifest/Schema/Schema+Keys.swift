// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

extension Schema {
    /// The keys of an object that it describes by their names, each once; its parts for the same object included.
    public var keys: [String] {
        var seen: Set<String> = []
        return parts.flatMap { $0["properties"]?.objectValue?.map(\.key) ?? [] }.filter {
            seen.insert($0).inserted
        }
    }

    /// Whether it says of keys that it does not name what they may be.
    public var describesOtherKeys: Bool {
        parts.contains { part in
            part["additionalProperties"].map { $0 != false } ?? false || part["propertyNames"] != nil
        }
    }

    /// The whole, and everything that it refers to, or lists, for the same value.
    private var parts: [Value] { Self.parts(of: [document], in: document) }

    /// Schemas of a document, and those that they refer to, or list, for the same value; each once, the nearest first.
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
