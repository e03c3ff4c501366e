// SPDX-License-Identifier: Apache-2.0

/// One section: the linker's own account of what lies where.
///
/// The loader does not look at sections. They tell a second time what the program headers and the dynamic section tell,
/// which is how damage to either is found.
struct SectionHeader: Hashable {
    /// The number of the content's kind; the corresponding field is `sh_type`.
    let type: UInt32
    /// Bits such as `isAllocated`; the corresponding field is `sh_flags`.
    let flags: UInt64
    /// The address of the first byte, 0 for what is not loaded.
    let address: UInt64
    /// The first byte, counted from the start of the file.
    let offset: UInt64
    /// The number of bytes; in memory only for `isNoBits`.
    let size: UInt64

    /// Whether it is loaded; the corresponding C constant is `SHF_ALLOC`.
    var isAllocated: Bool { flags & 2 != 0 }
    /// Whether it is loaded and may run; the corresponding C constant is `SHF_EXECINSTR`.
    var isCode: Bool { isAllocated && flags & 4 != 0 }
    /// Whether it is a template for each thread; the corresponding C constant is `SHF_TLS`.
    var isThreadLocal: Bool { flags & 0x400 != 0 }
    /// Whether it takes no room in the file; the corresponding C constant is `SHT_NOBITS`.
    var isNoBits: Bool { type == 8 }
    /// The first address behind it; the greatest number when there is no such address.
    var end: UInt64 { address.addingReportingOverflow(size).overflow ? .max : address + size }

    /// The size of one entry of the table, in bytes.
    static let entrySize: UInt64 = 64
    /// The greatest number of sections that is read; the numbers above are reserved.
    static let limit: UInt64 = 0xff00

    /// Reads all sections in table order; none for a file whose table was stripped.
    ///
    /// - Throws: `excessive`, `entrySize` or `truncated`.
    static func all(
        of header: ELFHeader, reading reader: borrowing ByteReader
    ) throws(ELFError) -> [SectionHeader] {
        let count = UInt64(header.sectionCount)
        guard count > 0 else { return [] }
        guard count < limit else { throw .excessive(.sectionHeaders, limit: limit, found: count) }
        guard header.sectionHeaderSize == entrySize else {
            throw .entrySize(.sectionHeaders, expected: entrySize, found: UInt64(header.sectionHeaderSize))
        }
        let start = header.sectionHeaderOffset
        try unsafe reader.require(at: start, count: count * entrySize, of: .sectionHeaders)
        var sections: [SectionHeader] = []
        sections.reserveCapacity(Int(count))
        for index in 0..<count {
            sections.append(try unsafe SectionHeader(at: start + index * entrySize, reading: reader))
        }
        return sections
    }

    /// Reads the entry at an offset.
    private init(at offset: UInt64, reading reader: borrowing ByteReader) throws(ELFError) {
        type = try unsafe reader.integer(at: offset + 4, of: .sectionHeaders)
        flags = try unsafe reader.integer(at: offset + 8, of: .sectionHeaders)
        address = try unsafe reader.integer(at: offset + 16, of: .sectionHeaders)
        self.offset = try unsafe reader.integer(at: offset + 24, of: .sectionHeaders)
        size = try unsafe reader.integer(at: offset + 32, of: .sectionHeaders)
    }
}
