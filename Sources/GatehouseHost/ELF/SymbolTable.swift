// SPDX-License-Identifier: Apache-2.0

/// Reads the dynamic symbols.
///
/// The file tells their number only indirectly, through one of the two hash tables.
enum SymbolTable {
    /// Reads all symbols in table order, without the empty first one.
    ///
    /// - Throws: `missing`, `unmapped`, `entrySize`, `truncated`, `unterminated` or `excessive`.
    static func symbols(
        of table: DynamicTable, in segments: [ProgramHeader], strings: inout StringTable,
        reading reader: borrowing ByteReader
    ) throws(ELFError) -> [DynamicSymbol] {
        guard let address = table.symbols else { return [] }
        if let size = table.symbolSize, size != DynamicSymbol.size {
            throw .entrySize(.symbolTable, expected: DynamicSymbol.size, found: size)
        }
        let start = try segments.fileRange(from: address, of: .symbolTable).lowerBound
        let count = try unsafe self.count(of: table, in: segments, reading: reader)
        let (bytes, overflows) = count.multipliedReportingOverflow(by: DynamicSymbol.size)
        try unsafe reader.require(at: start, count: overflows ? .max : bytes, of: .symbolTable)
        guard count > 1 else { return [] }

        var symbols: [DynamicSymbol] = []
        symbols.reserveCapacity(Int(count) - 1)
        for index in 1..<count {
            let offset = start + index * DynamicSymbol.size
            let name = try unsafe reader.integer(UInt32.self, at: offset, of: .symbolTable)
            let info = try unsafe reader.integer(UInt8.self, at: offset + 4, of: .symbolTable)
            let section = try unsafe reader.integer(UInt16.self, at: offset + 6, of: .symbolTable)
            // Section symbols have no name and mean nothing to a loader.
            guard name != 0 else { continue }
            symbols.append(
                DynamicSymbol(
                    name: try unsafe strings.string(at: UInt64(name), reading: reader),
                    isDefined: section != 0, isWeak: info >> 4 == 2))
        }
        return symbols
    }

    /// The number of symbols, the empty first one included.
    private static func count(
        of table: DynamicTable, in segments: [ProgramHeader], reading reader: borrowing ByteReader
    ) throws(ELFError) -> UInt64 {
        if let address = table.hash {
            let start = try segments.fileRange(from: address, of: .hashTable).lowerBound
            try unsafe reader.require(at: start, count: 8, of: .hashTable)
            return UInt64(try unsafe reader.integer(UInt32.self, at: start + 4, of: .hashTable))
        }
        if let address = table.gnuHash {
            let start = try segments.fileRange(from: address, of: .hashTable).lowerBound
            return try unsafe gnuCount(at: start, reading: reader)
        }
        throw .missing(.hashTable, tag: "DT_HASH or DT_GNU_HASH")
    }

    /// The number of symbols by a GNU hash table: one more than the last symbol of the chain that starts
    /// last.
    ///
    /// The table is: bucket count, first hashed symbol, bloom word count, bloom shift; 8-byte bloom words; a
    /// 4-byte symbol index for each bucket; a 4-byte hash for each hashed symbol, odd at the end of a chain.
    private static func gnuCount(
        at start: UInt64, reading reader: borrowing ByteReader
    ) throws(ELFError) -> UInt64 {
        try unsafe reader.require(at: start, count: 16, of: .hashTable)
        let bucketCount = UInt64(try unsafe reader.integer(UInt32.self, at: start, of: .hashTable))
        let firstHashed = UInt64(try unsafe reader.integer(UInt32.self, at: start + 4, of: .hashTable))
        let bloomCount = UInt64(try unsafe reader.integer(UInt32.self, at: start + 8, of: .hashTable))

        // All three counts are 32-bit numbers and `start` lies inside the file: no sum below can overflow.
        let buckets = start + 16 + bloomCount * 8
        try unsafe reader.require(at: buckets, count: bucketCount * 4, of: .hashTable)
        var last: UInt64 = 0
        for bucket in 0..<bucketCount {
            let index = try unsafe reader.integer(UInt32.self, at: buckets + bucket * 4, of: .hashTable)
            last = max(last, UInt64(index))
        }
        // Without hashed symbols only undefined ones precede the first hashed index.
        guard last >= firstHashed, last > 0 else { return firstHashed }
        let chains = buckets + bucketCount * 4
        while try unsafe reader.integer(
            UInt32.self, at: chains + (last - firstHashed) * 4, of: .hashTable) & 1 == 0
        {
            last += 1
        }
        return last + 1
    }
}
