// SPDX-License-Identifier: Apache-2.0

/// One problem of a text, with its place.
public struct LocatedProblem: Equatable, Sendable {
    /// The start of the offending part.
    public let position: TextPosition
    /// The offending part, even if it is missing.
    public let path: LocatedPath
    /// Whether the text is usable nevertheless.
    public let isWarning: Bool
    /// What was expected and found, and the remedy, without the place.
    public let words: String

    /// Creates a problem at a place, by default the beginning of the text.
    public init(
        _ words: String, at position: TextPosition = TextPosition(line: 1, column: 1, offset: 0),
        path: LocatedPath = .whole, isWarning: Bool = false
    ) {
        self.position = position
        self.path = path
        self.isWarning = isWarning
        self.words = words
    }

    /// The words after the part that they are about, for tools that print the position in a form of their own.
    public var sentence: String { path.steps.isEmpty ? words : "\"\(path)\": \(words)" }
}

extension LocatedProblem: CustomStringConvertible {
    /// Position and sentence: `3:12: "id": expected …, found …; …`.
    public var description: String { "\(position): \(sentence)" }
}
