// SPDX-License-Identifier: Apache-2.0

/// One thing that is wrong with a text, and where.
public struct LocatedProblem: Equatable, Sendable {
    /// Where the offending part begins.
    public let position: TextPosition
    /// The part at fault, also one that is missing.
    public let path: LocatedPath
    /// Whether the text can be used in spite of it.
    public let isWarning: Bool
    /// What was expected, what was found and what to do, without the place.
    public let words: String

    /// A problem at a place; without arguments at the beginning of the text.
    public init(
        _ words: String, at position: TextPosition = TextPosition(line: 1, column: 1, offset: 0),
        path: LocatedPath = .whole, isWarning: Bool = false
    ) {
        self.position = position
        self.path = path
        self.isWarning = isWarning
        self.words = words
    }

    /// The words behind the part that they are about, for tools that print the position in a form of their own.
    public var sentence: String { path.steps.isEmpty ? words : "\"\(path)\": \(words)" }
}

extension LocatedProblem: CustomStringConvertible {
    /// Position and sentence: `3:12: "id": expected …, found …; …`.
    public var description: String { "\(position): \(sentence)" }
}
