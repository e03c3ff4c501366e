// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// The words and texts of a value within a larger document, borrowed to be copied onto a tape.
///
/// Marked safe because holding one does nothing: what reads it is `Tape`, and must do so while the document is there.
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

    /// A value of a document; the form that `Tape` describes is required, not checked.
    public init(
        words: UnsafeBufferPointer<UInt64>, wordBase: Int, strings: UnsafeRawBufferPointer, stringBase: Int
    ) {
        unsafe self.words = unsafe words
        self.wordBase = wordBase
        unsafe self.strings = unsafe strings
        self.stringBase = stringBase
    }

    /// This value and a later one of the same document, with what lies between them; nil when the other one is earlier.
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

    /// The extents of a tape that holds the value.
    fileprivate var header: TapeHeader {
        unsafe TapeHeader(
            wordCount: words.count, wordBase: wordBase, byteCount: strings.count, byteBase: stringBase)
    }

    /// How many words the value and its texts take.
    fileprivate var size: Int { unsafe words.count + (strings.count + 7) / 8 }

    /// Writes words and texts; there must be room for `size` words.
    fileprivate func copy(to elements: UnsafeMutablePointer<UInt64>) {
        if let source = unsafe words.baseAddress {
            unsafe memcpy(elements, source, words.count * 8)
        }
        if let source = unsafe strings.baseAddress {
            unsafe memcpy(elements + words.count, source, strings.count)
        }
    }
}

extension Tape {
    /// The largest allocation that `refill` uses again, in words: 128 KB. One huge document does not stay for ever.
    private static var largestKept: Int { 1 << 14 }

    /// Copies a value into an allocation of its own.
    public static func copying(_ source: TapeSource) -> Tape { copying(source, room: 0) }

    /// Copies a value into an allocation that has room for some words at least, for later refills.
    private static func copying(_ source: TapeSource, room: Int) -> Tape {
        let buffer = TapeStorage.create(minimumCapacity: max(source.size, room)) { _ in source.header }
        let storage = unsafe unsafeDowncast(buffer, to: TapeStorage.self)
        unsafe storage.withUnsafeMutablePointerToElements { unsafe source.copy(to: $0) }
        return Tape(storage: storage)
    }

    /// Puts another document in place of this one, in the same allocation where it has the room and nobody else holds it.
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
