// SPDX-License-Identifier: Apache-2.0

/// The table by which the loader finds exported names; it also determines the number of symbols.
///
/// Its layout is: bucket count, first hashed symbol, bloom word count, bloom shift; 8-byte bloom words; a 4-byte symbol
/// index for each bucket; a 4-byte hash for each hashed symbol, odd at the end of a chain.
struct GNUHashTable {
    /// The offset of the first byte from the start of the file.
    let start: UInt64
    /// The number of buckets.
    let bucketCount: UInt64
    /// The index of the first symbol that has a hash; those before cannot be found by name.
    let firstHashed: UInt64
    /// The number of words in the bloom filter.
    let bloomCount: UInt64

    /// The offset of the first bucket. All counts are 32-bit numbers and `start` lies inside the file: no sum overflows.
    var buckets: UInt64 { start + 16 + bloomCount * 8 }
    /// The offset of the first chain word.
    var chains: UInt64 { buckets + bucketCount * 4 }

    /// Reads the four numbers at the start, and checks that filter and buckets lie inside the file.
    ///
    /// - Throws: `truncated`.
    init(at start: UInt64, reading reader: borrowing ByteReader) throws(ELFError) {
        self.start = start
        try unsafe reader.require(at: start, count: 16, of: .hashTable)
        bucketCount = UInt64(try unsafe reader.integer(UInt32.self, at: start, of: .hashTable))
        firstHashed = UInt64(try unsafe reader.integer(UInt32.self, at: start + 4, of: .hashTable))
        bloomCount = UInt64(try unsafe reader.integer(UInt32.self, at: start + 8, of: .hashTable))
        try unsafe reader.require(at: buckets, count: bucketCount * 4, of: .hashTable)
    }

    /// The symbol index in a bucket; 0 for an empty one.
    func bucket(_ index: UInt64, reading reader: borrowing ByteReader) throws(ELFError) -> UInt64 {
        UInt64(try unsafe reader.integer(UInt32.self, at: buckets + index * 4, of: .hashTable))
    }

    /// The chain word of a symbol, whose index must not be below `firstHashed`.
    func chain(_ symbol: UInt64, reading reader: borrowing ByteReader) throws(ELFError) -> UInt32 {
        try unsafe reader.integer(at: chains + (symbol - firstHashed) * 4, of: .hashTable)
    }

    /// The number of symbols: one more than the last symbol of the chain that starts last.
    ///
    /// - Throws: `truncated` for a chain without end.
    func symbolCount(reading reader: borrowing ByteReader) throws(ELFError) -> UInt64 {
        var last: UInt64 = 0
        for index in 0..<bucketCount { last = max(last, try unsafe bucket(index, reading: reader)) }
        // Without hashed symbols only undefined ones precede the first hashed index.
        guard last >= firstHashed, last > 0 else { return firstHashed }
        while try unsafe chain(last, reading: reader) & 1 == 0 { last += 1 }
        return last + 1
    }
}
