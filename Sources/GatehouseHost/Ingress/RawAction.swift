// SPDX-License-Identifier: Apache-2.0

import CSimdJSON
import GatehouseValue
import Glibc

/// The members of an action as places in a parser's raw document, found in one walk over the root object.
///
/// Marked safe because the document is simdjson's, whose form is trusted; it and everything here end with the
/// parser's next parse. This is the only file that follows pointers into a raw document.
@safe struct RawAction {
    /// A value's words and texts: both half-open ranges into the document.
    private struct Extent {
        /// Indices of 64-bit words on the document's tape.
        let words: Range<Int>
        /// Byte offsets into the document's texts.
        let texts: Range<Int>
    }

    /// Borrowed from the parser until its next parse.
    private let document: gatehouse_json_document
    /// Byte offsets of the text of `type`; nil when the member is absent.
    private var typeExtent: Range<Int>?
    /// Where `payload` is; nil when the member is absent.
    private var payloadExtent: Extent?
    /// Where `meta` is; nil when the member is absent.
    private var metaExtent: Extent?

    /// The error mark; nil when the member is absent.
    private var errorMark: Bool?

    /// Walks a successfully parsed document; nil when it breaks a rule for actions.
    ///
    /// Steps over values by their size, so the cost depends on the number of members, at most five, not on
    /// the payload.
    init?(_ document: gatehouse_json_document) {
        unsafe self.document = unsafe document
        // Word 0 is the document's own; the root value follows.
        guard unsafe Self.tag(document.words[1]) == UInt8(ascii: "{") else { return nil }
        let last = unsafe Self.end(of: 1, in: document) - 1
        var place = 2
        while place < last {
            let key = unsafe Self.text(at: place, in: document)
            let value = place + 1
            let next = unsafe Self.end(of: value, in: document)
            // Texts lie in document order: those of a value reach from its name to the following name.
            let textsEnd = unsafe next < last ? Self.offset(document.words[next]) : document.string_byte_count
            let extent = Extent(words: value..<next, texts: key.upperBound + 1..<textsEnd)
            guard take(key: key, extent) else { return nil }
            place = next
        }
        guard typeExtent != nil else { return nil }
    }

    /// The type's bytes; not empty.
    var typeName: UnsafeBufferPointer<UInt8> {
        let extent = typeExtent ?? 0..<0
        return unsafe UnsafeBufferPointer(start: document.strings + extent.lowerBound, count: extent.count)
    }

    /// The error mark, false when absent.
    var error: Bool { errorMark ?? false }

    /// A copy of the payload; nil when absent. O(size of the payload), one allocation.
    func copyPayload() -> TapeView? { payloadExtent.map(copy) }

    /// A copy of the meta object; nil when absent. O(its size), one allocation.
    func copyMeta() -> TapeView? { metaExtent.map(copy) }

    // MARK: - Implementation details

    /// Keeps one member; false when it is unknown, given twice, or of the wrong kind.
    private mutating func take(key: Range<Int>, _ extent: Extent) -> Bool {
        let tag = unsafe Self.tag(document.words[extent.words.lowerBound])
        if isText(key, "type") {
            // Only the word of a text leads into the string area, so its tag is looked at first.
            guard typeExtent == nil, tag == UInt8(ascii: "\"") else { return false }
            let name = unsafe Self.text(at: extent.words.lowerBound, in: document)
            if name.isEmpty { return false }
            typeExtent = name
        } else if isText(key, "payload") {
            guard payloadExtent == nil else { return false }
            payloadExtent = extent
        } else if isText(key, "meta") {
            guard metaExtent == nil, tag == UInt8(ascii: "{") else { return false }
            metaExtent = extent
        } else if isText(key, "error") {
            guard errorMark == nil, tag == UInt8(ascii: "t") || tag == UInt8(ascii: "f") else { return false }
            errorMark = tag == UInt8(ascii: "t")
        } else {
            return false
        }
        return true
    }

    /// Copies a value into a tape of its own.
    private func copy(_ extent: Extent) -> TapeView {
        let words = unsafe UnsafeBufferPointer(
            start: document.words + extent.words.lowerBound, count: extent.words.count)
        let texts = unsafe UnsafeRawBufferPointer(
            start: document.strings + extent.texts.lowerBound, count: extent.texts.count)
        return unsafe Tape.copying(
            words: words, wordBase: extent.words.lowerBound, strings: texts,
            stringBase: extent.texts.lowerBound
        ).root
    }

    /// Whether the bytes in a range of the string area are the given ASCII text.
    @inline(__always)
    private func isText(_ range: Range<Int>, _ text: StaticString) -> Bool {
        unsafe range.count == text.utf8CodeUnitCount
            && memcmp(document.strings + range.lowerBound, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    /// The top 8 bits of a word.
    @inline(__always)
    private static func tag(_ word: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> 56) }

    /// The low 56 bits of a word.
    @inline(__always)
    private static func offset(_ word: UInt64) -> Int { Int(truncatingIfNeeded: word & 0xFF_FFFF_FFFF_FFFF) }

    /// The index behind the value that starts at an index.
    @inline(__always)
    private static func end(of index: Int, in document: gatehouse_json_document) -> Int {
        let word = unsafe document.words[index]
        return switch tag(word) {
        case UInt8(ascii: "{"), UInt8(ascii: "["): Int(truncatingIfNeeded: word & 0xFFFF_FFFF)
        case UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "d"): index + 2
        default: index + 1
        }
    }

    /// Where the bytes of the text at an index lie in the string area, without their NUL.
    @inline(__always)
    private static func text(at index: Int, in document: gatehouse_json_document) -> Range<Int> {
        let start = unsafe offset(document.words[index])
        let count = unsafe UnsafeRawPointer(document.strings).loadUnaligned(
            fromByteOffset: start, as: UInt32.self)
        return start + 4..<start + 4 + Int(UInt32(littleEndian: count))
    }
}
