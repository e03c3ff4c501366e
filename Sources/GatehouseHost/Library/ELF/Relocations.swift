// SPDX-License-Identifier: Apache-2.0

/// The places into which the loader writes when it maps a library, and the symbols whose values it writes.
///
/// The loader writes wherever the file says, and reads symbols behind the end of their table too. What lies beside either is
/// another thing in each process, so no rehearsal finds out for certain; what happens inside the library, a rehearsal does.
enum Relocations {
    /// The size of one relocation.
    private static let size: UInt64 = 24

    /// Makes sure that all places lie in the library, and all symbols in their table.
    ///
    /// - Parameter symbolCount: the number of symbols, the empty first one included; at most 1 when the file does not tell,
    ///   as GNU ld writes it for a library that exports nothing.
    /// - Throws: `unmapped` for a place outside, `excessive` for a symbol that is none, or what keeps the tables from being
    ///   read.
    static func check(
        _ table: DynamicTable, symbolCount: UInt64, in segments: [ProgramHeader],
        reading reader: borrowing ByteReader
    ) throws(ELFError) {
        let loads = segments.filter { $0.kind == .load }
        for (start, length) in [(DynamicTag.rela, DynamicTag.relaSize), (.jmpRel, .pltRelSize)] {
            guard let address = table[start], let bytes = table[length], bytes >= size else { continue }
            let offset = try segments.fileRange(from: address, of: .relocations).lowerBound
            try unsafe reader.require(at: offset, count: bytes, of: .relocations)
            for entry in stride(from: offset, through: offset + bytes - size, by: Int(size)) {
                // Type 0 stands for nothing.
                let kind = try unsafe reader.integer(UInt32.self, at: entry + 8, of: .relocations)
                guard kind != 0 else { continue }
                try require(unsafe reader.integer(at: entry, of: .relocations), in: loads)
                let symbol = UInt64(try unsafe reader.integer(UInt32.self, at: entry + 12, of: .relocations))
                if symbolCount > 1, symbol >= symbolCount {
                    throw .excessive(.relocations, limit: symbolCount - 1, found: symbol)
                }
            }
        }
        guard let address = table[.relr], let bytes = table[.relrSize], bytes >= 8 else { return }
        let offset = try segments.fileRange(from: address, of: .relocations).lowerBound
        try unsafe reader.require(at: offset, count: bytes, of: .relocations)
        // An even word is a place; an odd one has a bit for each of the 63 places behind the ones before.
        var next: UInt64 = 0
        for entry in stride(from: offset, through: offset + bytes - 8, by: 8) {
            let word = try unsafe reader.integer(UInt64.self, at: entry, of: .relocations)
            if word & 1 == 0 {
                try require(word, in: loads)
                next = word &+ 8
            } else {
                let last = UInt64(62 - (word >> 1).leadingZeroBitCount + 1)
                if word > 1 { try require(next &+ last &* 8, in: loads) }
                next &+= 63 * 8
            }
        }
    }

    /// Makes sure that eight bytes at an address lie in one of the segments.
    private static func require(_ address: UInt64, in loads: [ProgramHeader]) throws(ELFError) {
        let isInside = loads.contains { load in
            address >= load.address && load.memorySize >= 8 && address - load.address <= load.memorySize - 8
        }
        guard isInside else { throw .unmapped(.relocations, address: address) }
    }
}
