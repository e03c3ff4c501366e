// SPDX-License-Identifier: Apache-2.0

/// A part of a pattern, before it becomes steps.
indirect enum TextPatternNode: Equatable {
    /// One character of a set.
    case take(ScalarSet)
    /// One part after the other; none matches the empty text.
    case sequence([TextPatternNode])
    /// One of several parts.
    case choice([TextPatternNode])
    /// A part several times; without `most` as often as it likes.
    case repetition(TextPatternNode, least: Int, most: Int?)
    /// The beginning of the text.
    case begin
    /// The end of the text.
    case end
}
