// SPDX-License-Identifier: Apache-2.0

extension LoaderCheck {
    /// Checks that every exported name is found in the way the loader looks for it, and that no search runs away.
    mutating func checkHashTables(reading reader: borrowing ByteReader) throws(ELFError) {
        if let address = table[.gnuHash] {
            let start = try fileOffset(of: address, count: 16, part: .hashTable)
            try unsafe checkGNU(GNUHashTable(at: start, reading: reader), reading: reader)
        }
        if let address = table[.hash] {
            try unsafe checkSystemV(at: fileOffset(of: address, count: 8, part: .hashTable), reading: reader)
        }
    }

    /// Checks the usual table: each name behind the filter, in its bucket, with its hash.
    private mutating func checkGNU(
        _ hashes: GNUHashTable, reading reader: borrowing ByteReader
    ) throws(ELFError) {
        let bloom = hashes.bloomCount
        expect(
            .hashTable, "a power of two as the size of its filter", found: "\(bloom)",
            if: bloom > 0 && bloom & (bloom - 1) == 0)
        expect(.hashTable, "a bucket", found: "none", if: hashes.bucketCount > 0)
        guard damage.isEmpty else { return }
        let count = symbols.count
        // The index of the symbol whose chain starts in a bucket; chains are stretches of the symbol table.
        var starts: [UInt64: UInt64] = [:]
        for index in 0..<hashes.bucketCount {
            let first = try unsafe hashes.bucket(index, reading: reader)
            guard first != 0 else { continue }
            expect(
                .hashTable, "symbols from \(hashes.firstHashed) to \(count) in its buckets",
                found: "\(first)",
                if: first >= hashes.firstHashed && first < count)
            starts[first] = index
        }
        guard damage.isEmpty else { return }
        var bucket: UInt64?
        for symbol in symbols.symbols where symbol.index >= hashes.firstHashed {
            let hash = GNUHashTable.hash(of: symbol.name)
            let word = try unsafe hashes.chain(symbol.index, reading: reader)
            bucket = starts[symbol.index] ?? bucket
            let isInFilter = try unsafe hashes.mayHold(hash, reading: reader)
            let isFound =
                isInFilter && word | 1 == hash | 1 && bucket == UInt64(hash) % hashes.bucketCount
            expect(
                .hashTable, "\(symbol.name) in its place", found: "another name's hash there", if: isFound)
            // Behind the end of a chain another one must start.
            if word & 1 != 0 { bucket = nil }
        }
    }

    /// Checks the older kind of table: bucket count, symbol count, buckets, and for each symbol the next of its chain.
    private mutating func checkSystemV(
        at start: UInt64, reading reader: borrowing ByteReader
    ) throws(ELFError) {
        let bucketCount = UInt64(try unsafe reader.integer(UInt32.self, at: start, of: .hashTable))
        let count = UInt64(try unsafe reader.integer(UInt32.self, at: start + 4, of: .hashTable))
        expect(.hashTable, "a bucket", found: "none", if: bucketCount > 0)
        try unsafe reader.require(at: start, count: 8 + (bucketCount + count) * 4, of: .hashTable)
        var isLinked = Set<UInt64>()
        for index in 0..<bucketCount + count {
            let next = UInt64(
                try unsafe reader.integer(UInt32.self, at: start + 8 + index * 4, of: .hashTable))
            guard next != 0 else { continue }
            // A symbol that two links lead to would close a circle, or join two chains.
            let isFresh = isLinked.insert(next).inserted
            expect(
                .hashTable, "each symbol below \(count) once in its chains", found: "\(next)",
                if: next < count && isFresh)
        }
    }
}
