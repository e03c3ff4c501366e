// SPDX-License-Identifier: Apache-2.0

/// The dynamic string table, with a budget for everything copied out of it.
///
/// Names may overlap in the table, so a small hostile file could otherwise name gigabytes.
struct StringTable {
    /// The offsets of the table's bytes from the start of the file.
    private let range: Range<UInt64>
    /// How many more bytes may be copied.
    private var budget: UInt64 = Self.totalLimit

    /// The maximum length of one string in bytes; the longest mangled Swift names have a few thousand.
    static let lengthLimit: UInt64 = 65_535
    /// The maximum total length of all strings in bytes.
    static let totalLimit: UInt64 = 32 << 20

    /// Locates the table.
    ///
    /// - Throws: `missing`, `unmapped` or `truncated`.
    init(
        of table: DynamicTable, in segments: [ProgramHeader], reading reader: borrowing ByteReader
    ) throws(ELFError) {
        guard let address = table[.strTab] else { throw .missing(.stringTable, tag: "DT_STRTAB") }
        guard let size = table[.strSize] else { throw .missing(.stringTable, tag: "DT_STRSZ") }
        let start = try segments.fileRange(from: address, of: .stringTable).lowerBound
        try unsafe reader.require(at: start, count: size, of: .stringTable)
        range = start..<start + size
    }

    /// Copies the string at an offset of the table.
    ///
    /// - Throws: `truncated` if the offset lies outside, `unterminated`, or `excessive` when the budget is
    ///   spent.
    mutating func string(at offset: UInt64, reading reader: borrowing ByteReader) throws(ELFError) -> String {
        guard offset < UInt64(range.count) else {
            throw .truncated(.string, offset: offset, expected: 1, found: 0)
        }
        let text = try unsafe reader.string(
            at: range.lowerBound + offset, before: range.upperBound, limit: Self.lengthLimit, of: .string)
        let length = UInt64(text.utf8.count)
        guard length <= budget else {
            throw .excessive(
                .stringTable, limit: Self.totalLimit, found: Self.totalLimit - budget + length)
        }
        budget -= length
        return text
    }
}
