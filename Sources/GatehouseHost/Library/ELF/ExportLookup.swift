// SPDX-License-Identifier: Apache-2.0

/// Asks a library for names as the loader does, without reading all that it has.
enum ExportLookup {
    /// Those of the names that a library does not offer, in their order.
    ///
    /// Safety: the bytes must not change during the call.
    ///
    /// - Parameters:
    ///   - bytes: the whole library.
    ///   - loader: brings bytes into the memory just before they are read; nil when all are there.
    /// - Throws: when the library has no readable `DT_GNU_HASH` table.
    static func missing(
        _ names: [String], in bytes: UnsafeRawBufferPointer, loadedBy loader: (any ByteLoading)? = nil
    ) throws(ELFError) -> [String] {
        let reader = unsafe ByteReader(bytes, loadedBy: loader)
        let header = try unsafe ELFHeader(reading: reader)
        let segments = try unsafe ProgramHeader.all(of: header, reading: reader)
        guard let table = try unsafe DynamicTable(of: segments, reading: reader) else {
            throw .missing(.dynamicSection, tag: "PT_DYNAMIC")
        }
        guard let address = table[.gnuHash] else { throw .missing(.hashTable, tag: "\(DynamicTag.gnuHash)") }
        guard let symbols = table[.symTab] else { throw .missing(.symbolTable, tag: "\(DynamicTag.symTab)") }
        let start = try segments.fileRange(from: address, of: .hashTable).lowerBound
        let hashes = try unsafe GNUHashTable(at: start, reading: reader)
        guard hashes.bucketCount > 0, hashes.bloomCount > 0, hashes.bloomCount & (hashes.bloomCount - 1) == 0
        else { throw .missing(.hashTable, tag: "\(DynamicTag.gnuHash)") }
        let entries = try segments.fileRange(from: symbols, of: .symbolTable).lowerBound
        var strings = try unsafe StringTable(of: table, in: segments, reading: reader)
        var missing: [String] = []
        for name in names {
            let isThere = try unsafe offers(
                name, hashes, entries: entries, strings: &strings, reading: reader)
            if !isThere { missing.append(name) }
        }
        return missing
    }

    /// Whether a name is found by its hash and stands for something the library holds.
    private static func offers(
        _ name: String, _ hashes: GNUHashTable, entries: UInt64, strings: inout StringTable,
        reading reader: borrowing ByteReader
    ) throws(ELFError) -> Bool {
        let hash = GNUHashTable.hash(of: name)
        guard try unsafe hashes.mayHold(hash, reading: reader) else { return false }
        var index = try unsafe hashes.bucket(UInt64(hash) % hashes.bucketCount, reading: reader)
        guard index >= hashes.firstHashed, index > 0 else { return false }
        while true {
            let word = try unsafe hashes.chain(index, reading: reader)
            if word | 1 == hash | 1 {
                let entry = entries + index * DynamicSymbol.size
                let text = try unsafe reader.integer(UInt32.self, at: entry, of: .symbolTable)
                let section = try unsafe reader.integer(UInt16.self, at: entry + 6, of: .symbolTable)
                if section != 0, try unsafe strings.string(at: UInt64(text), reading: reader) == name {
                    return true
                }
            }
            if word & 1 != 0 { return false }
            index += 1
        }
    }
}
