// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Bounds-checked little-endian reads from borrowed bytes.
///
/// No offset, count or content makes it trap: every read outside the bytes throws. It copies what it returns.
///
/// Safety: the memory must stay mapped and unchanged for as long as the reader is used. `ELFImage` keeps that
/// promise by using one only inside its initializer.
@unsafe package struct ByteReader {
    /// The bytes of the whole file.
    private let bytes: UnsafeRawBufferPointer
    /// Brings bytes into memory before they are read; nil when all are there.
    private let loader: (any ByteLoading)?

    /// Reads from the given memory, which it does not own.
    package init(_ bytes: UnsafeRawBufferPointer, loadedBy loader: (any ByteLoading)? = nil) {
        unsafe self.bytes = bytes
        unsafe self.loader = loader
    }

    /// The size of the file in bytes.
    var count: Int { unsafe bytes.count }

    /// Reads one fixed-width integer.
    ///
    /// - Parameters:
    ///   - type: the integer's type, which also gives its width.
    ///   - offset: in bytes from the start of the file; may be any number.
    ///   - subject: what the integer is, for the error.
    /// - Throws: `ELFError.truncated` if the file ends before the integer does.
    package func integer<Number: FixedWidthInteger>(
        _ type: Number.Type = Number.self, at offset: UInt64, of subject: ELFPart
    ) throws(ELFError) -> Number {
        let range = try unsafe loadedRange(
            at: offset, count: UInt64(MemoryLayout<Number>.size), of: subject)
        return Number(
            littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: range.lowerBound, as: Number.self))
    }

    /// Copies a run of bytes.
    ///
    /// - Throws: `ELFError.truncated` if the file ends before the run does.
    package func copy(at offset: UInt64, count: UInt64, of subject: ELFPart) throws(ELFError) -> [UInt8] {
        let range = try unsafe loadedRange(at: offset, count: count, of: subject)
        return unsafe Array(bytes[range])
    }

    /// Reads a NUL-terminated string; bytes that are not UTF-8 become replacement characters.
    ///
    /// - Parameters:
    ///   - offset: of the first byte.
    ///   - end: the first offset the string, its NUL included, may not reach; for example the end of the
    ///     table.
    ///   - limit: the greatest length in bytes without the NUL.
    /// - Throws: `ELFError.unterminated` if no NUL comes before `end` or within the limit.
    func string(
        at offset: UInt64, before end: UInt64, limit: UInt64, of subject: ELFPart
    ) throws(ELFError) -> String {
        let end = unsafe min(end, UInt64(count))
        guard offset < end else { throw .unterminated(subject, offset: offset, limit: limit) }
        let longest = end - offset > limit ? limit + 1 : end - offset
        let window = try unsafe loadedRange(at: offset, count: longest, of: subject)
        let text = unsafe UnsafeRawBufferPointer(rebasing: bytes[window])
        // The library's own search: tests are not optimised, and names are most of what is read.
        guard let start = text.baseAddress, let end = unsafe memchr(start, 0, text.count) else {
            throw .unterminated(subject, offset: offset, limit: limit)
        }
        return unsafe String(decoding: text[..<(UnsafeRawPointer(end) - start)], as: UTF8.self)
    }

    /// Tells whether a run of bytes lies inside the file, and throws if it does not.
    func require(at offset: UInt64, count: UInt64, of subject: ELFPart) throws(ELFError) {
        _ = try unsafe range(at: offset, count: count, of: subject)
    }

    /// A range of valid indexes whose bytes are in memory.
    private func loadedRange(
        at offset: UInt64, count: UInt64, of subject: ELFPart
    ) throws(ELFError) -> Range<Int> {
        let range = try unsafe range(at: offset, count: count, of: subject)
        if let loader = unsafe loader { loader.load(range) }
        return range
    }

    /// Turns offset and count into a range of valid indexes, without any arithmetic that could overflow.
    private func range(at offset: UInt64, count: UInt64, of subject: ELFPart) throws(ELFError) -> Range<Int> {
        let size = unsafe UInt64(bytes.count)
        guard offset <= size, count <= size - offset else {
            throw .truncated(
                subject, offset: offset, expected: count, found: offset < size ? size - offset : 0)
        }
        return Int(offset)..<Int(offset + count)
    }
}

/// Brings parts of a file into memory when they are asked for, so that a large file costs only what is read of it.
public protocol ByteLoading: AnyObject {
    /// Makes sure that bytes are in memory.
    ///
    /// What can no longer be read, because the file has become shorter, is left as zeros.
    ///
    /// - Parameter range: offsets inside the file as it was when the reading began; may be empty.
    func load(_ range: Range<Int>)
}
