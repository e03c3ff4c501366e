// SPDX-License-Identifier: Apache-2.0

/// A place in a text, as editors count.
public struct TextPosition: Sendable, Hashable {
    /// The line, from 1; a line ends at a line feed.
    public let line: Int
    /// The column, from 1, in Unicode scalars.
    public let column: Int
    /// The distance from the start of the text in bytes.
    public let offset: Int

    /// Creates a position from its numbers.
    public init(line: Int, column: Int, offset: Int) {
        self.line = line
        self.column = column
        self.offset = offset
    }
}

extension TextPosition: Comparable {
    /// Orders positions by their place in the text.
    public static func < (left: TextPosition, right: TextPosition) -> Bool { left.offset < right.offset }
}

extension TextPosition: CustomStringConvertible {
    /// Line and column in the form that editors turn into a link: "3:14".
    public var description: String { "\(line):\(column)" }
}
