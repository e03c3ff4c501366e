// SPDX-License-Identifier: Apache-2.0

/// The table by which the loader finds exported names; it also determines the number of symbols.
///
/// Its layout is: bucket count, first hashed symbol, bloom word count, bloom shift; 8-byte bloom words; a 4-byte symbol
/// index for each bucket, 0 for an empty one; a 4-byte hash for each symbol from the first hashed one on, odd at the end of a chain.
enum GNUHashTable {
    /// The number of symbols: one more than the last symbol of the chain that starts last.
    ///
    /// - Parameter start: the offset of the table from the start of the file.
    /// - Throws: `truncated` for a table that leaves the file, and for a chain without end.
    static func symbolCount(at start: UInt64, reading reader: borrowing ByteReader) throws(ELFError) -> UInt64
    {
        try unsafe reader.require(at: start, count: 16, of: .hashTable)
        let bucketCount = UInt64(try unsafe reader.integer(UInt32.self, at: start, of: .hashTable))
        let firstHashed = UInt64(try unsafe reader.integer(UInt32.self, at: start + 4, of: .hashTable))
        let bloomCount = UInt64(try unsafe reader.integer(UInt32.self, at: start + 8, of: .hashTable))
        // All counts are 32-bit numbers and `start` lies inside the file: no sum overflows.
        let buckets = start + 16 + bloomCount * 8
        let chains = buckets + bucketCount * 4
        try unsafe reader.require(at: buckets, count: bucketCount * 4, of: .hashTable)
        var last: UInt64 = 0
        for bucket in stride(from: buckets, to: chains, by: 4) {
            last = max(last, UInt64(try unsafe reader.integer(UInt32.self, at: bucket, of: .hashTable)))
        }
        // Without hashed symbols only undefined ones precede the first hashed index.
        guard last >= firstHashed, last > 0 else { return firstHashed }
        var chain = chains + (last - firstHashed) * 4
        while try unsafe reader.integer(UInt32.self, at: chain, of: .hashTable) & 1 == 0 { chain += 4 }
        return firstHashed + (chain - chains) / 4 + 1
    }
}
