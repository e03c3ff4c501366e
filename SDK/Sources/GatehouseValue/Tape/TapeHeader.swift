// SPDX-License-Identifier: Apache-2.0

/// The extents of a tape, stored in front of its words.
@frozen
@usableFromInline
struct TapeHeader {
    /// The number of words; the byte area starts behind the last.
    @usableFromInline let wordCount: Int
    /// What to take off an index found in a word.
    @usableFromInline let wordBase: Int
    /// The size of the byte area.
    @usableFromInline let byteCount: Int
    /// What to take off an offset found in a word.
    @usableFromInline let byteBase: Int

    /// Takes the extents as they are.
    @inlinable
    init(wordCount: Int, wordBase: Int, byteCount: Int, byteBase: Int) {
        self.wordCount = wordCount
        self.wordBase = wordBase
        self.byteCount = byteCount
        self.byteBase = byteBase
    }
}
