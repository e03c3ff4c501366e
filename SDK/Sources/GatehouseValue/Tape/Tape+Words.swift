// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Access to words and texts; the only file that follows pointers into a finished tape.
///
/// Indexes count the words of this tape. None is checked: they come from the tape itself, whose form
/// `Tape.copying` requires.
extension Tape {
    /// The extents, read without the exclusivity check that a class's stored property costs.
    @inlinable
    var header: TapeHeader { unsafe storage.withUnsafeMutablePointerToHeader { unsafe $0.pointee } }

    /// Returns the word at an index.
    @inlinable
    func word(at index: Int) -> UInt64 {
        unsafe storage.withUnsafeMutablePointerToElements { unsafe $0[index] }
    }

    /// Returns the tag of the word at an index.
    @inlinable
    func tag(at index: Int) -> UInt8 { UInt8(truncatingIfNeeded: word(at: index) >> 56) }

    /// Returns the index after the value that starts at an index.
    @inlinable
    func end(of index: Int) -> Int {
        let word = word(at: index)
        switch UInt8(truncatingIfNeeded: word >> 56) {
        case TapeTag.object, TapeTag.array: return Int(word & 0xFFFF_FFFF) - header.wordBase
        case TapeTag.integer, TapeTag.unsigned, TapeTag.double: return index + 2
        default: return index + 1
        }
    }

    /// Returns the index of the word that closes the container at an index.
    @inlinable
    func closing(of index: Int) -> Int { end(of: index) - 1 }

    /// Returns the number of members or elements of the container at an index; O(1) up to 2^24 - 2, then O(n).
    @inlinable
    func count(of index: Int) -> Int {
        let count = Int(word(at: index) >> 32 & 0xFF_FFFF)
        return count < 0xFF_FFFF ? count : longCount(of: index)
    }

    /// Calls `body` with the UTF-8 of the text at an index; the bytes are valid only during the call.
    @inlinable
    func withUTF8<Result>(at index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let header = self.header
        let offset = Int(word(at: index) & 0xFF_FFFF_FFFF_FFFF) - header.byteBase
        return unsafe storage.withUnsafeMutablePointerToElements { elements in
            let bytes = unsafe UnsafeRawPointer(elements + header.wordCount) + offset
            let count = unsafe Int(UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)))
            let start = unsafe (bytes + 4).assumingMemoryBound(to: UInt8.self)
            return unsafe body(UnsafeBufferPointer(start: start, count: count))
        }
    }

    /// Returns the text at an index as a string; up to 15 bytes without an allocation.
    @usableFromInline
    func text(at index: Int) -> String {
        unsafe withUTF8(at: index) { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Returns whether the text at an index has a string's bytes; allocates nothing for native strings.
    func text(at index: Int, equals other: String) -> Bool {
        var other = other
        return other.withUTF8 { wanted in
            unsafe withUTF8(at: index) { text in
                unsafe text.count == wanted.count && Self.areEqual(text, wanted)
            }
        }
    }

    /// Returns whether the texts at two indexes have the same bytes.
    private func text(at index: Int, equals other: Int) -> Bool {
        unsafe withUTF8(at: index) { text in
            unsafe withUTF8(at: other) { other in
                unsafe text.count == other.count && Self.areEqual(text, other)
            }
        }
    }

    /// Returns the index of a member's value in the object at an index; the last of repeated names counts.
    ///
    /// Walks the members, comparing bytes; builds no table and makes no string.
    @usableFromInline
    func find(_ key: String, in object: Int) -> Int? {
        var key = key
        let header = self.header
        return key.withUTF8 { wanted in
            unsafe storage.withUnsafeMutablePointerToElements { elements -> Int? in
                let bytes = unsafe UnsafeRawPointer(elements + header.wordCount)
                // An empty string may have no address; then no byte is compared either.
                guard let start = unsafe wanted.baseAddress ?? UnsafePointer(bitPattern: 1) else {
                    return nil
                }
                let last = unsafe Int(elements[object] & 0xFFFF_FFFF) - header.wordBase - 1
                let count = wanted.count
                var found: Int?
                var place = object + 1
                while place < last {
                    let name = unsafe bytes + (Int(elements[place] & 0xFF_FFFF_FFFF_FFFF) - header.byteBase)
                    // Most names differ in length already.
                    if unsafe Int(UInt32(littleEndian: name.loadUnaligned(as: UInt32.self))) == count
                        && memcmp(name + 4, start, count) == 0
                    {
                        found = place + 1
                    }
                    let value = unsafe elements[place + 1]
                    switch UInt8(truncatingIfNeeded: value >> 56) {
                    case TapeTag.object, TapeTag.array: place = Int(value & 0xFFFF_FFFF) - header.wordBase
                    case TapeTag.integer, TapeTag.unsigned, TapeTag.double: place += 3
                    default: place += 2
                    }
                }
                return found
            }
        }
    }

    /// Returns whether two members of the object at an index have the same name.
    ///
    /// Compares each of few names with all before it, which for most touches only the lengths. Looks up the
    /// hashes of many names, and so may return true, very rarely, where only hashes are equal.
    func repeatsNames(in object: Int) -> Bool {
        let count = count(of: object)
        guard count > 1 else { return false }
        let last = closing(of: object)
        var place = object + 1
        guard count <= 16 else {
            var seen: Set<Int> = []
            seen.reserveCapacity(count)
            while place < last {
                var hasher = Hasher()
                unsafe withUTF8(at: place) { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
                guard seen.insert(hasher.finalize()).inserted else { return true }
                place = end(of: place + 1)
            }
            return false
        }
        var names = InlineArray<16, Int>(repeating: 0)
        var known = 0
        while place < last {
            for index in 0..<known where text(at: place, equals: names[index]) { return true }
            names[known] = place
            known += 1
            place = end(of: place + 1)
        }
        return false
    }

    /// Counts by walking, for a count that saturated.
    @usableFromInline
    func longCount(of index: Int) -> Int {
        let step = tag(at: index) == TapeTag.object ? 1 : 0
        let last = closing(of: index)
        var place = index + 1
        var count = 0
        while place < last {
            place = end(of: place + step)
            count += 1
        }
        return count
    }

    /// Returns whether two buffers of equal size hold the same bytes.
    private static func areEqual(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>)
        -> Bool
    {
        guard let start = left.baseAddress, let other = right.baseAddress else { return true }
        return unsafe memcmp(start, other, left.count) == 0
    }
}
