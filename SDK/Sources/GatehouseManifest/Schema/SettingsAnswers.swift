// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// What settings say about which action types a plugin answers, and with which.
///
/// The schema of the settings marks the places with `"x-action"`, so that a plugin that declares to hear and emit everything,
/// because only its operator knows, can still be asked what it does.
public struct SettingsAnswers: Sendable {
    /// What the types at a place are.
    public enum Role: String, CaseIterable, Sendable {
        /// The types are heard, and answered with others.
        case hears
        /// The types are emitted as answers.
        case emits
    }

    /// One object of the settings that names types of both roles.
    public struct Answer: Sendable {
        /// Where the object is in the settings.
        public let pointer: JSONPointer
        /// The types and patterns that are answered.
        public let heard: [TypePattern]
        /// The types and patterns that answer them.
        public let emitted: [TypePattern]
    }

    /// All of them, in the order of the settings.
    public private(set) var all: [Answer] = []

    /// Reads settings by their schema; what does not fit it says nothing.
    public init(_ settings: Value, by schema: Value) {
        var types: [Role: [TypePattern]] = [:]
        read(settings, schema, .whole, &types)
    }

    /// Reads a part of the settings; `types` are those of the object around it.
    private mutating func read(
        _ value: Value, _ schema: Value, _ pointer: JSONPointer, _ types: inout [Role: [TypePattern]]
    ) {
        switch value {
        case .string(let text):
            if let role = schema["x-action"]?.stringValue.flatMap(Role.init), let type = TypePattern(text) {
                types[role, default: []].append(type)
            }
        case .array(let elements):
            guard let items = schema["items"] else { return }
            for (index, element) in elements.enumerated() {
                read(element, items, pointer.appending("\(index)"), &types)
            }
        case .object(let members):
            var own: [Role: [TypePattern]] = [:]
            let place = all.count
            for (key, member) in members {
                guard let property = schema["properties"]?[key] else { continue }
                read(member, property, pointer.appending(key), &own)
            }
            guard let heard = own[.hears], let emitted = own[.emits] else { return }
            all.insert(Answer(pointer: pointer, heard: heard, emitted: emitted), at: place)
        default: break
        }
    }
}
