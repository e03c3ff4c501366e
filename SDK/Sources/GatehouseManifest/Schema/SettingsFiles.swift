// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// The files that settings name, as far as their schema marks the places with `"x-file"`.
public struct SettingsFiles: Sendable {
    /// What is in a file.
    public enum Content: String, CaseIterable, Sendable {
        /// A secret: it must be there when it is needed, and nobody else may read it.
        case secret
    }

    /// One path in the settings.
    public struct File: Equatable, Sendable {
        /// Where the path is in the settings.
        public let pointer: JSONPointer
        /// The path as it is written; not empty.
        public let path: String
        /// What is in the file.
        public let content: Content
    }

    /// All of them, in the order of the settings.
    public private(set) var all: [File] = []

    /// The whole schema, in which references are looked up.
    private let root: Value

    /// Reads settings by their schema; what does not fit it says nothing.
    public init(_ settings: Value, by schema: Value) {
        root = schema
        read(settings, schema, .whole, depth: 0)
    }

    /// Reads a part of the settings. References may go round in a circle, so their number is bounded.
    private mutating func read(_ value: Value, _ schema: Value, _ pointer: JSONPointer, depth: Int) {
        guard depth < 64 else { return }
        if let reference = schema["$ref"]?.stringValue, let target = Schema.target(of: reference, in: root) {
            read(value, target, pointer, depth: depth + 1)
        }
        switch value {
        case .string(let path):
            if let content = schema["x-file"]?.stringValue.flatMap(Content.init), !path.isEmpty {
                all.append(File(pointer: pointer, path: path, content: content))
            }
        case .array(let elements):
            guard let items = schema["items"] else { return }
            for (index, element) in elements.enumerated() {
                read(element, items, pointer.appending("\(index)"), depth: depth + 1)
            }
        case .object(let members):
            for (key, member) in members {
                guard let part = schema["properties"]?[key] ?? schema["additionalProperties"] else {
                    continue
                }
                read(member, part, pointer.appending(key), depth: depth + 1)
            }
        default: break
        }
    }
}
