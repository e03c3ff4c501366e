// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Bounds-checked little-endian reads from borrowed bytes.
///
/// No offset, count or content makes it trap: every read outside the bytes throws. Results are copies.
///
/// Safety: the memory must stay mapped and unchanged while the reader is in use. `ELFImage` guarantees this by
/// using one only inside its initializer.
@unsafe package struct ByteReader {
    /// The bytes of the whole file.
    private let bytes: UnsafeRawBufferPointer
    /// Brings bytes into memory before they are read; nil when all are there.
    private let loader: (any ByteLoading)?

    /// Creates a reader of memory that it does not own.
    package init(_ bytes: UnsafeRawBufferPointer, loadedBy loader: (any ByteLoading)? = nil) {
        unsafe self.bytes = bytes
        unsafe self.loader = loader
    }

    /// The size of the file in bytes.
    package var count: Int { unsafe bytes.count }

    /// Reads one fixed-width integer.
    ///
    /// - Parameters:
    ///   - type: the integer's type, which also gives its width.
    ///   - offset: in bytes from the start of the file; any number is allowed.
    ///   - subject: names the integer in the error.
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
    ///   - end: the offset that the string, including its NUL, must not reach; for example the end of the table.
    ///   - limit: the maximum length in bytes without the NUL.
    /// - Throws: `ELFError.unterminated` if no NUL comes before `end` or within the limit.
    package func string(
        at offset: UInt64, before end: UInt64, limit: UInt64, of subject: ELFPart
    ) throws(ELFError) -> String {
        let end = unsafe min(end, UInt64(count))
        guard offset < end else { throw .unterminated(subject, offset: offset, limit: limit) }
        let longest = end - offset > limit ? limit + 1 : end - offset
        let window = try unsafe loadedRange(at: offset, count: longest, of: subject)
        let text = unsafe UnsafeRawBufferPointer(rebasing: bytes[window])
        // The C library's search: tests are not optimised, and most of what is read is names.
        guard let start = text.baseAddress, let end = unsafe memchr(start, 0, text.count) else {
            throw .unterminated(subject, offset: offset, limit: limit)
        }
        return unsafe String(decoding: text[..<(UnsafeRawPointer(end) - start)], as: UTF8.self)
    }

    /// Throws unless a run of bytes lies inside the file.
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

    /// Converts offset and count to a range of valid indexes, without arithmetic that could overflow.
    private func range(at offset: UInt64, count: UInt64, of subject: ELFPart) throws(ELFError) -> Range<Int> {
        let size = unsafe UInt64(bytes.count)
        guard offset <= size, count <= size - offset else {
            throw .truncated(
                subject, offset: offset, expected: count, found: offset < size ? size - offset : 0)
        }
        return Int(offset)..<Int(offset + count)
    }
}

/// Brings parts of a file into memory on demand, so that a large file costs only what is read of it.
package protocol ByteLoading: AnyObject {
    /// Ensures that bytes are in memory.
    ///
    /// Bytes that can no longer be read, because the file has become shorter, are zeros.
    ///
    /// - Parameter range: offsets inside the file as it was when reading began; may be empty.
    func load(_ range: Range<Int>)
}
