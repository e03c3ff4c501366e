// SPDX-License-Identifier: Apache-2.0

internal import GatehouseValue

/// The parts of settings whose places a schema marks with a keyword of its own, such as `"x-action": "hears"`.
struct SettingsMarks {
    /// One part, or an array of none.
    struct Mark {
        /// What is there: a text, or the empty array of texts that would be marked.
        let value: Value
        /// What the keyword says, a text.
        let word: String
        /// Where it is in the settings.
        let pointer: JSONPointer
        /// Where the object is that it belongs to.
        let object: JSONPointer
    }

    /// All of them, those of one object together: objects in the order of the settings, each before those inside it.
    private(set) var all: [Mark] = []
    /// The whole schema, in which references are looked up.
    private let root: Value
    /// The keyword.
    private let keyword: String
    /// Whether what is not set is read from the `default` of its place.
    private let readsDefaults: Bool

    /// Reads settings by their schema; what does not fit it is not marked.
    init(_ keyword: SchemaKeyword, in settings: Value, by schema: Value, readsDefaults: Bool = false) {
        root = schema
        self.keyword = keyword.rawValue
        self.readsDefaults = readsDefaults
        read(settings, schema, .whole, of: .whole, depth: 0)
    }

    /// Reads a part of the settings. References may go round in a circle, so their number is bounded.
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

    /// Reads an object: what belongs to itself first.
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

    /// Takes note of a value whose place is marked.
    private mutating func mark(
        _ value: Value, _ schema: Value, _ pointer: JSONPointer, of object: JSONPointer
    ) {
        guard let word = schema[keyword]?.stringValue else { return }
        all.append(Mark(value: value, word: word, pointer: pointer, object: object))
    }
}
