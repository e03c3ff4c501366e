// SPDX-License-Identifier: Apache-2.0

import CSimdJSON
internal import GatehousePlan
import GatehouseValue
import Glibc

/// The members of an action as places in a parser's raw document, found in one walk over the root object.
///
/// Marked safe because the document is simdjson's, whose form is trusted; it and everything here end with the
/// parser's next parse. This is the only file that follows pointers into a raw document.
@safe struct RawAction {
    /// A value's words and texts, both half-open ranges into the document; in 32 bits, as documents stay below 4 GiB.
    private struct Extent {
        /// Indices of 64-bit words on the document's tape; 0 for an absent value, as word 0 is never part of one.
        var firstWord: UInt32 = 0
        /// The end of the words.
        var wordEnd: UInt32 = 0
        /// Byte offset into the document's texts.
        var firstText: UInt32 = 0
        /// The end of the texts.
        var textEnd: UInt32 = 0

        /// Whether there is a value.
        var isPresent: Bool { firstWord != 0 }
    }

    /// Borrowed from the parser until its next parse.
    private let document: gatehouse_json_document
    /// The range of the text of `type`; never empty.
    private var typeText: Range<UInt32> = 0..<0
    /// The extent of `payload`.
    private var payloadExtent = Extent()
    /// The extent of `meta`.
    private var metaExtent = Extent()
    /// The tag of the error mark; 0 when the member is absent.
    private var errorTag: UInt8 = 0

    /// Walks a successfully parsed document; nil when it breaks a rule for actions.
    ///
    /// Steps over values by their size, so the cost depends on the number of members, at most five, not on
    /// the payload.
    @inline(__always)
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
            // Texts are in document order: those of a value extend from its name to the following name.
            let textsEnd = unsafe next < last ? Self.offset(document.words[next]) : document.string_byte_count
            let extent = Extent(
                firstWord: UInt32(truncatingIfNeeded: value), wordEnd: UInt32(truncatingIfNeeded: next),
                firstText: key.upperBound &+ 1, textEnd: UInt32(truncatingIfNeeded: textsEnd))
            guard take(key: key, extent) else { return nil }
            place = next
        }
        guard !typeText.isEmpty else { return nil }
    }

    /// Takes all of a successfully parsed document as the payload; nil when its type is not in its place.
    ///
    /// Without a place for it, there is no type.
    init?(_ document: gatehouse_json_document, _ wrap: LineWrap) {
        unsafe self.document = unsafe document
        payloadExtent = unsafe Extent(
            firstWord: 1, wordEnd: UInt32(truncatingIfNeeded: document.word_count - 1), firstText: 0,
            textEnd: UInt32(truncatingIfNeeded: document.string_byte_count))
        guard case .typeAt(let pointer) = wrap else { return }
        guard let place = unsafe Self.place(of: pointer, in: document),
            unsafe Self.tag(document.words[place]) == UInt8(ascii: "\"")
        else { return nil }
        typeText = unsafe Self.text(at: place, in: document)
        guard !typeText.isEmpty else { return nil }
    }

    /// The type's bytes; not empty, and borrowed like the document.
    @inline(__always)
    var typeName: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(
            start: document.strings + Int(typeText.lowerBound), count: typeText.count)
    }

    /// Whether the type belongs to the host.
    @inline(__always)
    var isForHost: Bool {
        isText(typeText.prefix(5), "host/")
    }

    /// The error mark, false when absent.
    var error: Bool { errorTag == UInt8(ascii: "t") }

    /// The payload, to be copied before the parser's next parse; nil when absent.
    @inline(__always)
    var payload: TapeSource? { source(payloadExtent) }

    /// The meta object, to be copied before the parser's next parse; nil when absent.
    @inline(__always)
    var meta: TapeSource? { source(metaExtent) }

    // MARK: - Implementation details

    /// Keeps one member; false when it is unknown, given twice, or of the wrong kind.
    @inline(__always)
    private mutating func take(key: Range<UInt32>, _ extent: Extent) -> Bool {
        let tag = unsafe Self.tag(document.words[Int(extent.firstWord)])
        if isText(key, "type") {
            // Only the word of a text points into the string area, so its tag is checked first.
            guard typeText.isEmpty, tag == UInt8(ascii: "\"") else { return false }
            typeText = unsafe Self.text(at: Int(extent.firstWord), in: document)
            return !typeText.isEmpty
        } else if isText(key, "payload") {
            guard !payloadExtent.isPresent else { return false }
            payloadExtent = extent
        } else if isText(key, "meta") {
            guard !metaExtent.isPresent, tag == UInt8(ascii: "{") else { return false }
            metaExtent = extent
        } else if isText(key, "error") {
            guard errorTag == 0, tag == UInt8(ascii: "t") || tag == UInt8(ascii: "f") else { return false }
            errorTag = tag
        } else {
            return false
        }
        return true
    }

    /// Returns the index of the value that a pointer leads to through objects, the last one of repeated names; nil for
    /// none.
    private static func place(of pointer: JSONPointer, in document: gatehouse_json_document) -> Int? {
        var place = 1
        for var token in pointer.tokens {
            let found = token.withUTF8 { unsafe member(named: $0, of: place, in: document) }
            guard let found else { return nil }
            place = found
        }
        return place
    }

    /// Returns the index of the last member with a name; nil when there is none, or no object.
    private static func member(
        named name: UnsafeBufferPointer<UInt8>, of place: Int, in document: gatehouse_json_document
    ) -> Int? {
        guard unsafe tag(document.words[place]) == UInt8(ascii: "{") else { return nil }
        let last = unsafe end(of: place, in: document) - 1
        var found: Int?
        var next = place + 1
        while next < last {
            let key = unsafe text(at: next, in: document)
            if unsafe UnsafeBufferPointer(start: document.strings + Int(key.lowerBound), count: key.count)
                .elementsEqual(name)
            {
                found = next + 1
            }
            next = unsafe end(of: next + 1, in: document)
        }
        return found
    }

    /// Returns the words and texts of a value.
    @inline(__always)
    private func source(_ extent: Extent) -> TapeSource? {
        guard extent.isPresent else { return nil }
        return unsafe TapeSource(
            words: UnsafeBufferPointer(
                start: document.words + Int(extent.firstWord),
                count: Int(extent.wordEnd &- extent.firstWord)),
            wordBase: Int(extent.firstWord),
            strings: UnsafeRawBufferPointer(
                start: document.strings + Int(extent.firstText),
                count: Int(extent.textEnd &- extent.firstText)),
            stringBase: Int(extent.firstText))
    }

    /// Whether the bytes in a range of the string area are the given ASCII text.
    @inline(__always)
    private func isText(_ range: Range<UInt32>, _ text: StaticString) -> Bool {
        unsafe range.count == text.utf8CodeUnitCount
            && memcmp(document.strings + Int(range.lowerBound), text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    /// The top 8 bits of a word.
    @inline(__always)
    private static func tag(_ word: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> 56) }

    /// The low 56 bits of a word.
    @inline(__always)
    private static func offset(_ word: UInt64) -> Int { Int(truncatingIfNeeded: word & 0xFF_FFFF_FFFF_FFFF) }

    /// Returns the index after the value that starts at an index.
    @inline(__always)
    private static func end(of index: Int, in document: gatehouse_json_document) -> Int {
        let word = unsafe document.words[index]
        return switch tag(word) {
        case UInt8(ascii: "{"), UInt8(ascii: "["): Int(truncatingIfNeeded: word & 0xFFFF_FFFF)
        case UInt8(ascii: "l"), UInt8(ascii: "u"), UInt8(ascii: "d"): index + 2
        default: index + 1
        }
    }

    /// Returns the range of the text at an index in the string area, without its NUL.
    @inline(__always)
    private static func text(at index: Int, in document: gatehouse_json_document) -> Range<UInt32> {
        let start = unsafe offset(document.words[index])
        let count = unsafe UnsafeRawPointer(document.strings).loadUnaligned(
            fromByteOffset: start, as: UInt32.self)
        let first = UInt32(truncatingIfNeeded: start &+ 4)
        return first..<first &+ UInt32(littleEndian: count)
    }
}
