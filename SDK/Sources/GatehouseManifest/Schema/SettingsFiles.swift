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

    /// All of them, those of one object together.
    public let all: [File]

    /// Reads settings by their schema; what does not fit it says nothing.
    public init(_ settings: Value, by schema: Value) {
        all = SettingsMarks(.file, in: settings, by: schema).all.compactMap { mark in
            guard let content = Content(rawValue: mark.word), let path = mark.value.stringValue,
                !path.isEmpty
            else { return nil }
            return File(pointer: mark.pointer, path: path, content: content)
        }
    }
}
