// SPDX-License-Identifier: Apache-2.0

/// The places into which the loader writes when it maps a library.
///
/// The loader writes wherever the file says. What lies beside the library is another thing in each process, so no rehearsal
/// finds out for certain; what it would write inside the library, a rehearsal does.
enum Relocations {
    /// The size of one relocation.
    private static let size: UInt64 = 24

    /// Makes sure that all places lie in the library.
    ///
    /// - Throws: `unmapped` for one outside, or what keeps the tables from being read.
    static func check(
        _ table: DynamicTable, in segments: [ProgramHeader], reading reader: borrowing ByteReader
    ) throws(ELFError) {
        let loads = segments.filter { $0.kind == .load }
        for (start, length) in [(DynamicTag.rela, DynamicTag.relaSize), (.jmpRel, .pltRelSize)] {
            guard let address = table[start], let bytes = table[length], bytes >= size else { continue }
            let offset = try segments.fileRange(from: address, of: .relocations).lowerBound
            try unsafe reader.require(at: offset, count: bytes, of: .relocations)
            for entry in stride(from: offset, through: offset + bytes - size, by: Int(size)) {
                // Type 0 stands for nothing.
                let kind = try unsafe reader.integer(UInt32.self, at: entry + 8, of: .relocations)
                if kind != 0 { try require(unsafe reader.integer(at: entry, of: .relocations), in: loads) }
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
