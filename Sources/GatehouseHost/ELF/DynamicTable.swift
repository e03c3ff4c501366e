// SPDX-License-Identifier: Apache-2.0

/// The raw entries of the dynamic section, before strings and symbols are looked up.
struct DynamicTable {
    /// String-table offsets of the `DT_NEEDED` entries, in order.
    private(set) var needed: [UInt64] = []
    /// String-table offset of `DT_SONAME`.
    private(set) var soname: UInt64?
    /// String-table offset of `DT_RPATH`.
    private(set) var rpath: UInt64?
    /// String-table offset of `DT_RUNPATH`.
    private(set) var runpath: UInt64?
    /// Address of the string table.
    private(set) var strings: UInt64?
    /// Size of the string table in bytes.
    private(set) var stringsSize: UInt64?
    /// Address of the symbol table.
    private(set) var symbols: UInt64?
    /// Size of one symbol in bytes.
    private(set) var symbolSize: UInt64?
    /// Address of the `DT_HASH` table.
    private(set) var hash: UInt64?
    /// Address of the `DT_GNU_HASH` table.
    private(set) var gnuHash: UInt64?

    /// The size of one entry in bytes: a tag and a value.
    private static let entrySize: UInt64 = 16
    /// The greatest number of needed libraries that is read.
    private static let neededLimit = 4_096

    /// Reads the entries up to the terminating one or the end of the segment; the last of equal tags counts.
    ///
    /// - Throws: `truncated` or `excessive`.
    init(in segment: ProgramHeader, reading reader: borrowing ByteReader) throws(ELFError) {
        try unsafe reader.require(at: segment.offset, count: segment.fileSize, of: .dynamicSection)
        for index in 0..<segment.fileSize / Self.entrySize {
            let offset = segment.offset + index * Self.entrySize
            let tag = try unsafe reader.integer(UInt64.self, at: offset, of: .dynamicSection)
            let value = try unsafe reader.integer(UInt64.self, at: offset + 8, of: .dynamicSection)
            switch tag {
            case 0: return
            case 1:
                guard needed.count < Self.neededLimit else {
                    throw .excessive(
                        .dynamicSection, limit: UInt64(Self.neededLimit), found: UInt64(needed.count) + 1)
                }
                needed.append(value)
            case 4: hash = value
            case 5: strings = value
            case 6: symbols = value
            case 10: stringsSize = value
            case 11: symbolSize = value
            case 14: soname = value
            case 15: rpath = value
            case 29: runpath = value
            case 0x6fff_fef5: gnuHash = value
            default: continue
            }
        }
    }
}
