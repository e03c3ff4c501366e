// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// Code in a plugin's sources that compiles and does nothing.
public struct SourceMistake: Equatable, Sendable {
    /// The path of the file.
    public let path: String
    /// The position in the file.
    public let position: TextPosition
    /// What was expected and found, and the remedy.
    public let sentence: String
}

extension SourceMistake {
    /// Creates a mistake at a token.
    init(_ tokens: SwiftTokens, _ index: Int, _ sentence: String) {
        self.init(path: tokens.path, position: tokens.position(of: index), sentence: sentence)
    }
}

extension SourceMistake: CustomStringConvertible {
    /// One line in the format that editors and build logs recognize.
    public var description: String { "\(path):\(position): error: \(sentence)" }
}
