// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// The parts of settings whose places a schema marks with a keyword of its own, such as `"x-action": "hears"`.
struct SettingsMarks {
    /// One text, or an empty array of texts.
    struct Mark {
        /// The value: a text, or the empty array whose texts would be marked.
        let value: Value
        /// The keyword's value, a text.
        let word: String
        /// The place of the value in the settings.
        let pointer: JSONPointer
        /// The place of its object.
        let object: JSONPointer
    }

    /// All marks, those of one object together: objects in the order of the settings, each before those inside it.
    private(set) var all: [Mark] = []
    /// The whole schema, for references.
    private let root: Value
    /// The keyword.
    private let keyword: String
    /// Whether an absent setting is read from the `default` of its place.
    private let readsDefaults: Bool

    /// Reads settings by their schema; does not mark values that do not fit it.
    init(_ keyword: SchemaKeyword, in settings: Value, by schema: Value, readsDefaults: Bool = false) {
        root = schema
        self.keyword = keyword.rawValue
        self.readsDefaults = readsDefaults
        read(settings, schema, .whole, of: .whole, depth: 0)
    }

    /// Reads a part of the settings; bounds the number of references, which may form a cycle.
    private mutating func read(
        _ value: Value, _ schema: Value, _ pointer: JSONPointer, of object: JSONPointer, depth: Int
    ) {
        guard depth < 64 else { return }
        if let reference = schema["$ref"]?.stringValue, let target = Schema.target(of: reference, in: root) {
            read(value, target, pointer, of: object, depth: depth + 1)
        }
        switch value {
        case .string: mark(value, schema, pointer, of: object)
        case .array(let elements):
            guard let items = schema["items"] else { return }
            if elements.isEmpty { mark(value, items, pointer, of: object) }
            for (index, element) in elements.enumerated() {
                read(element, items, pointer.appending("\(index)"), of: object, depth: depth + 1)
            }
        case .object(let members): read(members, schema, pointer, depth: depth)
        default: break
        }
    }

    /// Reads an object, with its own marks first.
    private mutating func read(_ members: Members, _ schema: Value, _ pointer: JSONPointer, depth: Int) {
        let place = all.count
        for (key, member) in members {
            guard let part = schema["properties"]?[key] ?? schema["additionalProperties"] else { continue }
            read(member, part, pointer.appending(key), of: pointer, depth: depth + 1)
        }
        if readsDefaults, let properties = schema["properties"]?.objectValue {
            for (key, part) in properties where members[key] == nil {
                guard let value = part["default"] else { continue }
                read(value, part, pointer.appending(key), of: pointer, depth: depth + 1)
            }
        }
        let own = all[place...].filter { $0.object == pointer }
        let others = all[place...].filter { $0.object != pointer }
        all.replaceSubrange(place..., with: own + others)
    }

    /// Records a value whose place is marked.
    private mutating func mark(
        _ value: Value, _ schema: Value, _ pointer: JSONPointer, of object: JSONPointer
    ) {
        guard let word = schema[keyword]?.stringValue else { return }
        all.append(Mark(value: value, word: word, pointer: pointer, object: object))
    }
}
