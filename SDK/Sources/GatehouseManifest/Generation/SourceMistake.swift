// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// Something in the sources of a plugin that the compiler takes and that does nothing.
public struct SourceMistake: Equatable, Sendable {
    /// The path of the file.
    public let path: String
    /// Where it stands in the file.
    public let position: TextPosition
    /// What was expected, what was found and what to do.
    public let sentence: String

    /// A mistake at a place.
    init(path: String, position: TextPosition, sentence: String) {
        self.path = path
        self.position = position
        self.sentence = sentence
    }

    /// Puts the facts about one token together.
    init(_ tokens: SwiftTokens, _ index: Int, _ sentence: String) {
        path = tokens.path
        position = tokens.position(of: index)
        self.sentence = sentence
    }
}

extension SourceMistake: CustomStringConvertible {
    /// One line in the form in which editors and build logs find places in files.
    public var description: String { "\(path):\(position): error: \(sentence)" }
}
