// SPDX-License-Identifier: Apache-2.0

extension LoaderCheck {
    /// The size of one entry in bytes: where, what and a number.
    static var relocationSize: UInt64 { 24 }
    /// How far from a symbol an address may lie, in bytes either way; real ones stay inside the symbol.
    private static var addendLimit: Int64 { 1 << 24 }
    /// What the compiler adds to the address of a text in a constant `String` of more than 15 bytes: the mark of a text
    /// that is never released.
    private static var stringMark: UInt64 { 1 << 63 }

    /// Checks everything that the loader writes into the library, and the functions that it then calls.
    mutating func checkRelocations(reading reader: borrowing ByteReader) throws(ELFError) {
        var initialisers = try unsafe Initialisers(of: self, reading: reader)
        if RelocationKind.isKnown(header.machine) {
            let relatives = table[.relaCount] ?? 0
            var targets: [UInt64] = []
            try unsafe checkTable(
                .rela, size: .relaSize, relatives: relatives, &initialisers, &targets, reading: reader)
            try unsafe checkTable(
                .jmpRel, size: .pltRelSize, relatives: 0, &initialisers, &targets, reading: reader)
            checkOverlap(&targets)
            // Whatever else is wrong here explains why an entry is not filled.
            guard damage.isEmpty else { return }
            for address in initialisers.missing.sorted() {
                mismatch(
                    .initialisers, "the address of code in each entry",
                    found: Self.hex(address))
            }
        }
        try unsafe checkPacked(reading: reader)
    }

    /// Checks one table of relocations.
    ///
    /// - Parameters:
    ///   - relatives: how many at the start the loader takes for relative ones without a look.
    ///   - targets: collects the addresses that are written to.
    private mutating func checkTable(
        _ tag: DynamicTag, size: DynamicTag, relatives: UInt64, _ initialisers: inout Initialisers,
        _ targets: inout [UInt64], reading reader: borrowing ByteReader
    ) throws(ELFError) {
        guard let address = table[tag], let bytes = table[size], bytes > 0 else { return }
        expect(
            .relocations, "\(size) to be a multiple of \(Self.relocationSize)", found: "\(bytes)",
            if: bytes % Self.relocationSize == 0)
        let start = try fileOffset(of: address, count: bytes, part: .relocations)
        let count = bytes / Self.relocationSize
        expect(
            .relocations, "at most \(count) in \(DynamicTag.relaCount)", found: "\(relatives)",
            if: relatives <= count)
        for index in 0..<count {
            let entry = start + index * Self.relocationSize
            let target = try unsafe reader.integer(UInt64.self, at: entry, of: .relocations)
            let info = try unsafe reader.integer(UInt64.self, at: entry + 8, of: .relocations)
            let addend = try unsafe reader.integer(UInt64.self, at: entry + 16, of: .relocations)
            guard let kind = RelocationKind(UInt32(truncatingIfNeeded: info), on: header.machine) else {
                mismatch(
                    .relocations, "types of a shared library on \(header.machine)",
                    found: "\(info & 0xffff_ffff)")
                continue
            }
            if case .relative = kind {
            } else if index < relatives {
                mismatch(.relocations, "\(relatives) relative ones first", found: "\(index)")
            }
            check(kind, at: target, symbol: info >> 32, addend: addend)
            initialisers.take(kind, at: target, addend: addend)
            if kind.size > 0 { targets.append(target) }
            guard damage.count < Self.limit else { return }
        }
    }

    /// Checks that no word is written twice: the second would spoil the first, and miss its own place.
    private mutating func checkOverlap(_ targets: inout [UInt64]) {
        targets.sort()
        for index in targets.indices.dropFirst() where targets[index] - targets[index - 1] < 8 {
            mismatch(
                .relocations, "each word once",
                found: Self.hex(targets[index]) + " written twice")
        }
    }

    /// Checks one relocation.
    private mutating func check(_ kind: RelocationKind, at target: UInt64, symbol: UInt64, addend: UInt64) {
        if case .none = kind { return }
        let holder = load(holding: target, count: kind.size)
        expect(
            .relocations, "writable memory of the library", found: Self.hex(target),
            if: holder?.isWritable ?? false || holder != nil && changesCode)
        switch kind {
        case .none, .threadLocal: break
        case .relative:
            expect(
                .relocations, "an address inside the library", found: Self.hex(addend),
                if: isInside(addend & ~Self.stringMark))
        case .indirect:
            expect(.relocations, "the address of code", found: Self.hex(addend), if: isCode(addend))
        case .symbol:
            expect(.relocations, "a symbol", found: "none", if: symbol != 0)
            expect(.relocations, "an aligned address", found: Self.hex(target), if: target % 8 == 0)
        case .symbolWithAddend:
            let distance = Int64(bitPattern: addend)
            expect(
                .relocations, "an address near its symbol", found: "\(distance) bytes away",
                if: abs(distance.clamped) <= Self.addendLimit)
        }
        let count = symbols.count
        expect(
            .relocations, "symbols below \(count)", found: "\(symbol)", if: symbol < max(1, count))
    }

    /// Checks the packed table of relative relocations: an even word is an address, an odd one 63 bits for those behind.
    private mutating func checkPacked(reading reader: borrowing ByteReader) throws(ELFError) {
        guard let address = table[.relr], let bytes = table[.relrSize], bytes > 0 else { return }
        let start = try fileOffset(of: address, count: bytes, part: .relocations)
        var next: UInt64 = 0
        for index in 0..<bytes / 8 {
            let word = try unsafe reader.integer(UInt64.self, at: start + index * 8, of: .relocations)
            if word & 1 == 0 {
                expectRelative(at: word)
                next = word &+ 8
            } else {
                var bits = word >> 1
                var target = next
                while bits != 0 {
                    if bits & 1 != 0 { expectRelative(at: target) }
                    bits >>= 1
                    target = target &+ 8
                }
                next = next &+ 63 * 8
            }
            guard damage.count < Self.limit else { return }
        }
    }

    /// Notes an address that the loader could not write to.
    private mutating func expectRelative(at target: UInt64) {
        expect(
            .relocations, "writable memory of the library", found: Self.hex(target),
            if: load(holding: target, count: 8)?.isWritable == true)
    }
}

extension Int64 {
    /// The number itself, or the nearest one that has a positive twin.
    fileprivate var clamped: Int64 { Swift.max(self, -.max) }
}
