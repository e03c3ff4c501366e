// SPDX-License-Identifier: Apache-2.0

/// One immutable JSON document in a single, reference-counted allocation.
///
/// The layout is simdjson's: 64-bit words, each with a tag in the top 8 bits.
///
/// | tag | low 56 bits |
/// |---|---|
/// | `{` `[` | bits 0–31: index after the end word; bits 32–55: number of members or elements, saturating |
/// | `}` `]` | index of the start word |
/// | `"` | offset into the byte area: 4 bytes length, little-endian; the UTF-8; a NUL |
/// | `#` | like `"`: the text of a number beyond 64 bits and `Double` |
/// | `l` `u` `d` | unused; the next word is the `Int64`, `UInt64` or `Double` itself |
/// | `t` `f` `n` | unused |
///
/// A member is the word of its name followed by its value. Indexes and offsets count from `wordBase` and `byteBase`, so
/// a part of a larger document is copied as it is. Copying a `Tape` retains the allocation.
@frozen
public struct Tape: @unchecked Sendable {
    // Proof for `@unchecked`: `copying` writes the storage before it is shared, and `refill` writes it only while nobody
    // else holds it; no member hands out a mutable pointer to it. Later reads from any thread see constant memory.

    /// The allocation with words and texts.
    @usableFromInline var storage: TapeStorage

    /// Wraps a filled allocation.
    @inlinable
    init(storage: TapeStorage) { self.storage = storage }

    /// Copies a document, or the words of one value within a larger one, into an allocation of its own.
    ///
    /// - Parameters:
    ///   - words: all words of the value, starting with its first; at least one. Not checked in any way.
    ///   - wordBase: the index of the first word in the document that the words come from.
    ///   - strings: the part of the document's byte area that holds every text of the value.
    ///   - stringBase: the offset of that part in the document's byte area.
    ///
    /// Safety: `words` must be a well-formed value as described on `Tape`, such as a JSON parser's output, whose
    /// offsets all lie in `strings` and whose texts are valid UTF-8.
    public static func copying(
        words: UnsafeBufferPointer<UInt64>, wordBase: Int,
        strings: UnsafeRawBufferPointer, stringBase: Int
    ) -> Tape {
        unsafe copying(
            TapeSource(words: words, wordBase: wordBase, strings: strings, stringBase: stringBase))
    }

    /// Writes a value as a tape; the stack limits the depth of the value.
    ///
    /// A document holds up to 2^32 words and texts of up to 2^32 bytes.
    public static func make(_ value: Value) -> Tape { laidOut { $0.append(value) } }

    /// The document `{}`; shared, so that a missing payload costs no allocation.
    public static let emptyObject = make(.object(Members()))

    /// The number of bytes of its words and texts.
    public var size: Int { header.wordCount * 8 + header.byteCount }

    /// The outermost value of the document.
    @inlinable
    public var root: TapeView { TapeView(tape: self, index: 0) }
}
