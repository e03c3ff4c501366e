// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The words and texts of a value within a larger document, borrowed to be copied onto a tape.
///
/// Marked safe because holding one does nothing: only `Tape` reads it, and must do so while the document exists.
@safe
public struct TapeSource {
    /// All words of the value, starting with its first; at least one. Not checked in any way.
    private let words: UnsafeBufferPointer<UInt64>
    /// The index of the first word in the document.
    private let wordBase: Int
    /// The part of the document's byte area that holds every text of the value.
    private let strings: UnsafeRawBufferPointer
    /// The offset of that part in the document's byte area.
    private let stringBase: Int

    /// Creates a source for a value of a document, which must have the form that `Tape` describes; it is not checked.
    public init(
        words: UnsafeBufferPointer<UInt64>, wordBase: Int, strings: UnsafeRawBufferPointer, stringBase: Int
    ) {
        unsafe self.words = unsafe words
        self.wordBase = wordBase
        unsafe self.strings = unsafe strings
        self.stringBase = stringBase
    }

    /// Joins this value and a later one of the same document, with all between them; nil when it is earlier.
    ///
    /// On a tape of it this value is at index 0, and the other one at `distance`.
    package func joined(with later: TapeSource) -> (source: TapeSource, distance: Int)? {
        let distance = later.wordBase - wordBase
        let gap = later.stringBase - stringBase
        guard unsafe distance >= words.count, unsafe gap >= strings.count else { return nil }
        let source = unsafe TapeSource(
            words: UnsafeBufferPointer(start: words.baseAddress, count: distance + later.words.count),
            wordBase: wordBase,
            strings: UnsafeRawBufferPointer(start: strings.baseAddress, count: gap + later.strings.count),
            stringBase: stringBase)
        return (source, distance)
    }

    /// The extents of a tape with the value.
    fileprivate var header: TapeHeader {
        unsafe TapeHeader(
            wordCount: words.count, wordBase: wordBase, byteCount: strings.count, byteBase: stringBase)
    }

    /// The size of the value and its texts in words.
    fileprivate var size: Int { unsafe words.count + (strings.count + 7) / 8 }

    /// Writes words and texts; there must be room for `size` words.
    fileprivate func copy(to elements: UnsafeMutablePointer<UInt64>) {
        if let source = unsafe words.baseAddress { unsafe memcpy(elements, source, words.count * 8) }
        if let source = unsafe strings.baseAddress {
            unsafe memcpy(elements + words.count, source, strings.count)
        }
    }
}

extension Tape {
    /// The largest allocation that `refill` reuses, in words: 128 KB. One huge document does not stay for ever.
    private static var largestKept: Int { 1 << 14 }

    /// Copies a value into an allocation of its own.
    public static func copying(_ source: TapeSource) -> Tape { copying(source, room: 0) }

    /// Copies a value into an allocation with a minimum of room, in words, for later refills.
    private static func copying(_ source: TapeSource, room: Int) -> Tape {
        let buffer = TapeStorage.create(minimumCapacity: max(source.size, room)) { _ in source.header }
        let storage = unsafe unsafeDowncast(buffer, to: TapeStorage.self)
        unsafe storage.withUnsafeMutablePointerToElements { unsafe source.copy(to: $0) }
        return Tape(storage: storage)
    }

    /// Replaces this document by another, in the same allocation if it has the room and nobody else holds it.
    ///
    /// A tape that was too small gets half as much room again, as the next document is likely to be of a similar size.
    package mutating func refill(_ source: TapeSource) {
        guard isKnownUniquelyReferenced(&storage) else {
            self = Tape.copying(source)
            return
        }
        let size = source.size
        let capacity = storage.capacity
        guard size <= capacity, capacity <= Self.largestKept else {
            self = Tape.copying(source, room: min(size + size / 2, Self.largestKept))
            return
        }
        unsafe storage.withUnsafeMutablePointers { header, elements in
            unsafe header.pointee = source.header
            unsafe source.copy(to: elements)
        }
    }
}
