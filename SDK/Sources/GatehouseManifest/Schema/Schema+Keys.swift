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
    private var parts: [Value] {
        var parts: [Value] = []
        var waiting = [document]
        while let part = waiting.popLast() {
            guard !parts.contains(part) else { continue }
            parts.append(part)
            if case .string(let reference)? = part["$ref"],
                let target = Self.target(of: reference, in: document)
            {
                waiting.append(target)
            }
            for key in ["allOf", "anyOf", "oneOf"] { waiting += part[key]?.arrayValue ?? [] }
            waiting += part["dependentSchemas"]?.objectValue?.map(\.value) ?? []
        }
        return parts
    }
}
