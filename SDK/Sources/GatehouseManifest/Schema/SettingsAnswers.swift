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
        /// What is there decides when an action comes which type is emitted, so it may be any.
        case emitsAny
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
    public let all: [Answer]

    /// Reads settings by their schema; what does not fit it says nothing.
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
