// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// The files in settings, as far as their schema marks the places with `"x-file"`.
public struct SettingsFiles: Sendable {
    /// The content of a file.
    public enum Content: String, CaseIterable, Sendable {
        /// A secret: it must exist when needed, and nobody else may read it.
        case secret
    }

    /// One path in the settings.
    public struct File: Equatable, Sendable {
        /// The place of the path in the settings.
        public let pointer: JSONPointer
        /// The path as written; not empty.
        public let path: String
        /// The content of the file.
        public let content: Content
    }

    /// All files, those of one object together.
    public let all: [File]

    /// Reads settings by their schema; ignores values that do not fit it.
    public init(_ settings: Value, by schema: Value) {
        all = SettingsMarks(.file, in: settings, by: schema).all.compactMap { mark in
            guard let content = Content(rawValue: mark.word), let path = mark.value.stringValue,
                !path.isEmpty
            else { return nil }
            return File(pointer: mark.pointer, path: path, content: content)
        }
    }
}
