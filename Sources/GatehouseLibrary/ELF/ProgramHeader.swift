// SPDX-License-Identifier: Apache-2.0

/// One segment: a run of file bytes and the addresses they are mapped to.
struct ProgramHeader: Hashable, Sendable {
    /// The purpose of a segment; unknown numbers are kept.
    struct Kind: RawRepresentable, Hashable, Sendable {
        /// The number as written in the file; the corresponding field is `p_type`.
        let rawValue: UInt32

        /// Bytes to map; the corresponding C constant is `PT_LOAD`.
        static let load = Kind(rawValue: 1)
        /// The dynamic section; the corresponding C constant is `PT_DYNAMIC`.
        static let dynamic = Kind(rawValue: 2)
        /// Notes; the corresponding C constant is `PT_NOTE`.
        static let note = Kind(rawValue: 4)
        /// Storage that each thread has a copy of; the corresponding C constant is `PT_TLS`.
        static let threadLocal = Kind(rawValue: 7)
        /// Memory that is read-only after the loader has written to it; the corresponding C constant is `PT_GNU_RELRO`.
        static let readOnlyLater = Kind(rawValue: 0x6474_e552)
        /// The permissions of the stack; the corresponding C constant is `PT_GNU_STACK`.
        static let stack = Kind(rawValue: 0x6474_e551)
    }

    /// The size of one entry of the table, in bytes.
    static let size: UInt64 = 56
    /// The maximum number of segments that is read; real libraries have about ten.
    static let limit: UInt64 = 512

    /// The purpose of the segment.
    let kind: Kind
    /// The offset of the first byte from the start of the file.
    let offset: UInt64
    /// The address of the first byte, relative to where the library is loaded.
    let address: UInt64
    /// The number of bytes in the file.
    let fileSize: UInt64
    /// The number of bytes in memory; those beyond the file's are zero.
    let memorySize: UInt64
    /// The permissions of the memory: bit 0 to execute, bit 1 to write, bit 2 to read.
    let permissions: UInt32
    /// The required alignment in bytes; 0 and 1 mean none.
    let alignment: UInt64

    /// Whether code in it may run.
    var isExecutable: Bool { permissions & 1 != 0 }
    /// Whether it may be written to.
    var isWritable: Bool { permissions & 2 != 0 }

    /// Whether the segment's memory contains a run of bytes.
    func holds(_ address: UInt64, count: UInt64) -> Bool {
        address >= self.address && address - self.address <= memorySize
            && count <= memorySize - (address - self.address)
    }

    /// Reads all program headers in table order.
    ///
    /// - Throws: `excessive`, `entrySize` or `truncated`.
    static func all(
        of header: ELFHeader, reading reader: borrowing ByteReader
    ) throws(ELFError) -> [ProgramHeader] {
        let count = UInt64(header.programHeaderCount)
        guard count > 0 else { return [] }
        guard count <= limit else { throw .excessive(.programHeaders, limit: limit, found: count) }
        guard header.programHeaderSize == size else {
            throw .entrySize(.programHeaders, expected: size, found: UInt64(header.programHeaderSize))
        }
        let start = header.programHeaderOffset
        try unsafe reader.require(at: start, count: count * size, of: .programHeaders)
        var headers: [ProgramHeader] = []
        headers.reserveCapacity(Int(count))
        for index in 0..<count {
            headers.append(try unsafe ProgramHeader(at: start + index * size, reading: reader))
        }
        return headers
    }

    /// Reads the entry at an offset.
    private init(at offset: UInt64, reading reader: borrowing ByteReader) throws(ELFError) {
        kind = Kind(rawValue: try unsafe reader.integer(at: offset, of: .programHeaders))
        self.offset = try unsafe reader.integer(at: offset + 8, of: .programHeaders)
        address = try unsafe reader.integer(at: offset + 16, of: .programHeaders)
        permissions = try unsafe reader.integer(at: offset + 4, of: .programHeaders)
        memorySize = try unsafe reader.integer(at: offset + 40, of: .programHeaders)
        fileSize = try unsafe reader.integer(at: offset + 32, of: .programHeaders)
        alignment = try unsafe reader.integer(at: offset + 48, of: .programHeaders)
    }
}

extension [ProgramHeader] {
    /// Converts an address to an offset in the file; of overlapping segments the last counts, as it does for the loader.
    ///
    /// - Parameter part: the part at the address, for the error.
    /// - Returns: the offset, and the offset at which the bytes of the same segment end.
    /// - Throws: `ELFError.unmapped` if no loaded segment contains the address or the segment leaves all bounds.
    func fileRange(from address: UInt64, of part: ELFPart) throws(ELFError) -> Range<UInt64> {
        for segment in reversed() where segment.kind == .load && segment.address <= address {
            let distance = address - segment.address
            guard distance < segment.fileSize else { continue }
            let (end, overflows) = segment.offset.addingReportingOverflow(segment.fileSize)
            guard !overflows else { continue }
            return segment.offset + distance..<end
        }
        throw .unmapped(part, address: address)
    }
}
