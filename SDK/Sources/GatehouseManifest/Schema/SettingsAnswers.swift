// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// The action types that a plugin answers according to its settings, and the answers.
///
/// The schema of the settings marks the places with `"x-action"`. So even a plugin that declares to hear and emit everything,
/// because only its operator knows, can be asked what it does.
public struct SettingsAnswers: Sendable {
    /// The role of the types at a place.
    public enum Role: String, CaseIterable, Sendable {
        /// The types are heard, and answered with others.
        case hears
        /// The types are emitted as answers.
        case emits
        /// The content of the place decides on each action's arrival which type is emitted, so it may be any.
        case emitsAny
    }

    /// One object of the settings that names types of both roles.
    public struct Answer: Sendable {
        /// The place of the object in the settings.
        public let pointer: JSONPointer
        /// The answered types and patterns.
        public let heard: [TypePattern]
        /// The types and patterns that answer them.
        public let emitted: [TypePattern]
    }

    /// All answers, in the order of the settings.
    public let all: [Answer]

    /// Reads settings by their schema; ignores values that do not fit it.
    public init(_ settings: Value, by schema: Value) {
        let marks = SettingsMarks(.action, in: settings, by: schema).all
        var all: [Answer] = []
        for mark in marks where mark.object != all.last?.pointer {
            let own = marks.filter { $0.object == mark.object }
            func types(_ role: Role) -> [TypePattern] {
                own.compactMap {
                    $0.word == role.rawValue ? $0.value.stringValue.flatMap(TypePattern.init) : nil
                }
            }
            let (heard, emitted) = (types(.hears), types(.emits))
            guard !heard.isEmpty, !emitted.isEmpty else { continue }
            all.append(Answer(pointer: mark.object, heard: heard, emitted: emitted))
        }
        self.all = all
    }
}
