// SPDX-License-Identifier: Apache-2.0

/// One record of a note segment: its owner, its type, and its bytes.
struct ELFNote: Hashable, Sendable {
    /// The name of the owner, without its terminating zero.
    let owner: String
    /// A number whose meaning the owner defines.
    let type: UInt32
    /// The content, without padding.
    let content: [UInt8]

    /// The maximum number of notes that is read from one file; real libraries have about five.
    static let countLimit: UInt64 = 1_024
    /// The maximum total size of all notes of one file, in bytes.
    static let sizeLimit: UInt64 = 1 << 20

    /// Reads the notes of a file and nothing else.
    ///
    /// - Throws: the reason why headers or notes cannot be read.
    static func all(
        in bytes: UnsafeRawBufferPointer, loadedBy loader: (any ByteLoading)?
    ) throws(ELFError) -> [ELFNote] {
        let reader = unsafe ByteReader(bytes, loadedBy: loader)
        let segments = try unsafe ProgramHeader.all(of: ELFHeader(reading: reader), reading: reader)
        return try unsafe all(in: segments, reading: reader)
    }

    /// Reads the notes of all note segments in table order.
    ///
    /// - Throws: `truncated` or `excessive`.
    static func all(
        in segments: [ProgramHeader], reading reader: borrowing ByteReader
    ) throws(ELFError) -> [ELFNote] {
        var notes: [ELFNote] = []
        var total: UInt64 = 0
        for segment in segments where segment.kind == .note {
            try unsafe reader.require(at: segment.offset, count: segment.fileSize, of: .note)
            (total, _) = total.addingReportingOverflow(segment.fileSize)
            guard total <= sizeLimit else { throw .excessive(.note, limit: sizeLimit, found: total) }
            var position: UInt64 = 0
            // A remainder shorter than a header is padding.
            while segment.fileSize - position >= 12 {
                notes.append(try unsafe ELFNote(in: segment, at: &position, reading: reader))
                guard notes.count <= countLimit else {
                    throw .excessive(.note, limit: countLimit, found: UInt64(notes.count))
                }
            }
        }
        return notes
    }

    /// Reads the note at a position of a segment that lies inside the file, and advances the position past
    /// it.
    ///
    /// - Parameters:
    ///   - position: in bytes from the start of the segment; at least 12 bytes must remain there. Afterwards
    ///     it is greater, and at most the segment's size.
    private init(
        in segment: ProgramHeader, at position: inout UInt64, reading reader: borrowing ByteReader
    ) throws(ELFError) {
        let start = segment.offset + position
        let nameSize = UInt64(try unsafe reader.integer(UInt32.self, at: start, of: .note))
        let contentSize = UInt64(try unsafe reader.integer(UInt32.self, at: start + 4, of: .note))
        type = try unsafe reader.integer(at: start + 8, of: .note)

        // Segments aligned to 8 bytes pad their notes to 8; all others pad to 4 whatever they claim.
        let padding: UInt64 = segment.alignment == 8 ? 8 : 4
        let remaining = segment.fileSize - position
        let contentStart = Self.padded(12 + nameSize, to: padding)
        guard contentStart + contentSize <= remaining else {
            throw .truncated(
                .note, offset: start, expected: contentStart + contentSize, found: remaining)
        }
        let name = try unsafe reader.copy(at: start + 12, count: nameSize, of: .note)
        owner = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        content = try unsafe reader.copy(
            at: start + contentStart, count: contentSize, of: .note)
        position += min(remaining, Self.padded(contentStart + contentSize, to: padding))
    }

    /// Rounds up to a multiple of 4 or 8. The sizes come from 32-bit fields, so the sum cannot overflow.
    private static func padded(_ size: UInt64, to padding: UInt64) -> UInt64 {
        (size + padding - 1) & ~(padding - 1)
    }
}
