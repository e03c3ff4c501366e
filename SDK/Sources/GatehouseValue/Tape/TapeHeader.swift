// SPDX-License-Identifier: Apache-2.0

/// The extents of a tape, stored in front of its words.
@frozen
@usableFromInline
struct TapeHeader {
    /// The number of words; the byte area starts after the last.
    @usableFromInline let wordCount: Int
    /// The amount to subtract from an index in a word.
    @usableFromInline let wordBase: Int
    /// The size of the byte area.
    @usableFromInline let byteCount: Int
    /// The amount to subtract from an offset in a word.
    @usableFromInline let byteBase: Int
}
