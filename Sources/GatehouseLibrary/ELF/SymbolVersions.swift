// SPDX-License-Identifier: Apache-2.0

/// The version numbers of symbols.
///
/// The loader looks each number up in a list that it builds from the file's records, without checking the list's length.
/// The memory beyond the list differs in each process, so no rehearsal finds such errors reliably.
enum SymbolVersions {
    /// The maximum number of records that is read.
    private static let recordLimit: UInt64 = 4_096

    /// Checks that the records cover the version number of each symbol.
    ///
    /// - Parameter count: of the symbols.
    /// - Throws: `excessive`, or the reason why the tables cannot be read.
    static func check(
        _ table: DynamicTable, count: UInt64, in segments: [ProgramHeader],
        reading reader: borrowing ByteReader
    ) throws(ELFError) {
        guard let address = table[.verSym] else { return }
        // 0 is local and 1 global; neither needs a record.
        var greatest: UInt16 = 1
        var records: UInt64 = 0
        // For a needed library the parts of its record have the numbers, for an offered version the record itself.
        for (tag, size) in [(DynamicTag.verNeed, 16), (.verDef, 20)] as [(DynamicTag, UInt64)] {
            guard var record = table[tag] else { continue }
            while true {
                let start = try place(record, size, &records, segments)
                if tag == .verDef {
                    greatest = max(greatest, try unsafe reader.integer(at: start + 4, of: .versions) & 0x7fff)
                } else {
                    var part =
                        record &+ UInt64(try unsafe reader.integer(UInt32.self, at: start + 8, of: .versions))
                    while true {
                        let start = try place(part, 16, &records, segments)
                        greatest = max(
                            greatest, try unsafe reader.integer(at: start + 6, of: .versions) & 0x7fff)
                        let next = try unsafe reader.integer(UInt32.self, at: start + 12, of: .versions)
                        if next == 0 { break }
                        part &+= UInt64(next)
                    }
                }
                let next = try unsafe reader.integer(UInt32.self, at: start + size - 4, of: .versions)
                if next == 0 { break }
                record &+= UInt64(next)
            }
        }
        let start = try segments.fileRange(from: address, of: .versions).lowerBound
        try unsafe reader.require(at: start, count: count * 2, of: .versions)
        for index in 0..<count {
            // The top bit hides a version from the linker.
            let number = try unsafe reader.integer(UInt16.self, at: start + index * 2, of: .versions) & 0x7fff
            guard number <= greatest else {
                throw .excessive(.versions, limit: UInt64(greatest), found: UInt64(number))
            }
        }
    }

    /// The offset of a record that lies in the file; the limit ends a circular list.
    private static func place(
        _ address: UInt64, _ size: UInt64, _ records: inout UInt64, _ segments: [ProgramHeader]
    ) throws(ELFError) -> UInt64 {
        records += 1
        guard records <= recordLimit else { throw .excessive(.versions, limit: recordLimit, found: records) }
        let range = try segments.fileRange(from: address, of: .versions)
        guard size <= range.upperBound - range.lowerBound else {
            throw .unmapped(.versions, address: address)
        }
        return range.lowerBound
    }
}
