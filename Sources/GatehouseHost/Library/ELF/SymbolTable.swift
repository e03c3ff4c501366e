// SPDX-License-Identifier: Apache-2.0

/// The dynamic symbols.
///
/// The file tells their number only indirectly, through one of the two hash tables.
struct SymbolTable {
    /// All symbols with a name, in table order.
    private(set) var symbols: [DynamicSymbol] = []
    /// The number of entries, the empty first one and those without a name included.
    let count: UInt64

    /// A file without symbols.
    init() { count = 0 }

    /// Reads all symbols.
    ///
    /// - Throws: `missing`, `unmapped`, `entrySize`, `truncated`, `unterminated` or `excessive`.
    init(
        of table: DynamicTable, in segments: [ProgramHeader], strings: inout StringTable,
        reading reader: borrowing ByteReader
    ) throws(ELFError) {
        guard let address = table[.symTab] else {
            count = 0
            return
        }
        if let size = table[.symEntry], size != DynamicSymbol.size {
            throw .entrySize(.symbolTable, expected: DynamicSymbol.size, found: size)
        }
        let start = try segments.fileRange(from: address, of: .symbolTable).lowerBound
        count = try unsafe Self.count(of: table, in: segments, reading: reader)
        let (bytes, overflows) = count.multipliedReportingOverflow(by: DynamicSymbol.size)
        try unsafe reader.require(at: start, count: overflows ? .max : bytes, of: .symbolTable)
        guard count > 1 else { return }

        symbols.reserveCapacity(Int(count) - 1)
        for index in 1..<count {
            let offset = start + index * DynamicSymbol.size
            let name = try unsafe reader.integer(UInt32.self, at: offset, of: .symbolTable)
            // Section symbols have no name and mean nothing to a loader.
            guard name != 0 else { continue }
            let info = try unsafe reader.integer(UInt8.self, at: offset + 4, of: .symbolTable)
            let visibility = try unsafe reader.integer(UInt8.self, at: offset + 5, of: .symbolTable) & 3
            symbols.append(
                DynamicSymbol(
                    name: try unsafe strings.string(at: UInt64(name), reading: reader),
                    kind: DynamicSymbol.Kind(rawValue: info & 15), isWeak: info >> 4 == 2,
                    // Binding 0 is local; visibility 1 is internal and 2 hidden.
                    isExported: info >> 4 != 0 && visibility != 1 && visibility != 2,
                    value: try unsafe reader.integer(at: offset + 8, of: .symbolTable),
                    section: try unsafe reader.integer(at: offset + 6, of: .symbolTable), index: index))
        }
    }

    /// The number of symbols, the empty first one included.
    private static func count(
        of table: DynamicTable, in segments: [ProgramHeader], reading reader: borrowing ByteReader
    ) throws(ELFError) -> UInt64 {
        if let address = table[.hash] {
            let start = try segments.fileRange(from: address, of: .hashTable).lowerBound
            try unsafe reader.require(at: start, count: 8, of: .hashTable)
            return UInt64(try unsafe reader.integer(UInt32.self, at: start + 4, of: .hashTable))
        }
        if let address = table[.gnuHash] {
            let start = try segments.fileRange(from: address, of: .hashTable).lowerBound
            return try unsafe GNUHashTable(at: start, reading: reader).symbolCount(reading: reader)
        }
        throw .missing(.hashTable, tag: "DT_HASH or DT_GNU_HASH")
    }
}
