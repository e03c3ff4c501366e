// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct DynamicTableTests {
    /// The dynamic section that entries tell.
    private func section(_ entries: [(DynamicTag, UInt64)], missing: Set<DynamicTag> = []) throws
        -> DynamicSection
    {
        try #require(
            try ELFImage(reading: RawLibrary(entries: entries.map { ($0, $1) }, missing: missing).bytes)
                .dynamic)
    }

    @Test func `tags have the numbers of the standard`() {
        let numbers: [(DynamicTag, UInt64)] = [
            (.needed, 1), (.pltRelSize, 2), (.hash, 4), (.strTab, 5), (.symTab, 6), (.rela, 7),
            (.relaSize, 8), (.relaEntry, 9), (.strSize, 10), (.symEntry, 11), (.soname, 14), (.rpath, 15),
            (.pltRel, 20), (.textRel, 22), (.jmpRel, 23), (.initArray, 25), (.finiArray, 26),
            (.initArraySize, 27), (.finiArraySize, 28), (.runpath, 29), (.flags, 30), (.relrSize, 35),
            (.relr, 36), (.relrEntry, 37),
        ]
        for (tag, number) in numbers { #expect(tag.rawValue == number) }
        #expect(DynamicTag(rawValue: 0x1f).description == "0x1f")
        #expect(
            [DynamicTag.strTab, .strSize, .symTab, .gnuHash, .auxiliary, .filter].map(\.description) == [
                "DT_STRTAB", "DT_STRSZ", "DT_SYMTAB", "DT_GNU_HASH", "DT_AUXILIARY", "DT_FILTER",
            ])
    }

    @Test func `of equal entries the last counts, and needed libraries are all kept`() throws {
        let found = try section([
            (.needed, 1), (.soname, 1), (.needed, 5), (.soname, 11), (.rpath, 16), (.runpath, 5),
        ])
        #expect(found.needed == ["one", ".data"])
        #expect(found.soname == ".bss")
        #expect(found.rpath == [".other"])
        #expect(found.runpath == [".data"])
        #expect(found.searchPath == [".data"])
    }

    @Test func `a search path for all needs counts where there is none for the own ones`() throws {
        let found = try section([(.rpath, 16)])
        #expect(found.searchPath == [".other"])
        #expect((found.needed, found.soname, found.runpath) == ([], nil, []))
        #expect(try section([(.soname, 1)]).soname == "one")
        #expect(try section([(.runpath, 1)]).runpath == ["one"])
        #expect(try section([(.needed, 1)]).needed == ["one"])
    }

    @Test func `entries after the empty one are none`() throws {
        let found = try section([(.soname, 1), (DynamicTag(rawValue: 0), 7), (.soname, 5), (.needed, 1)])
        #expect(found.soname == "one")
        #expect(found.needed == [])
    }

    @Test func `4096 entries are read, and no more`() throws {
        func table(_ count: Int) throws -> [UInt64] {
            var library = RawLibrary(others: [
                .init(
                    kind: 1, offset: RawLibrary.size, address: 0x10000, fileSize: 0x11000,
                    memorySize: 0x11000)
            ])
            library.dynamic.address = 0x10000
            var bytes = library.bytes + [UInt8](repeating: 0, count: 0x11000)
            // One other entry, and needed ones.
            for index in 0..<count {
                bytes[Int(RawLibrary.size) + index * 16] = index == 0 ? 14 : 1
                bytes[Int(RawLibrary.size) + index * 16 + 8] = UInt8(truncatingIfNeeded: index)
            }
            return try unsafe bytes.withUnsafeBytes {
                let reader = unsafe ByteReader($0)
                let segments = try unsafe ProgramHeader.all(of: ELFHeader(reading: reader), reading: reader)
                return try #require(try unsafe DynamicTable(of: segments, reading: reader)).needed
            }
        }
        #expect(try table(4_096) == (1..<4_096).map { UInt64($0 & 255) })
        #expect(throws: ELFError.excessive(.dynamicSection, limit: 4_096, found: 4_097)) {
            try table(4_097)
        }
    }

    @Test func `the table may end with its segment, and an entry that does not is cut off`() {
        // A segment of its own at the end of the file, of which the section has the last bytes.
        func error(at distance: UInt64) -> ELFError? {
            var library = RawLibrary()
            library.others = [
                .init(kind: 1, offset: 0x3000, address: 0x8000, fileSize: 0x800, memorySize: 0x800),
                .init(kind: 2, address: 0x8800 - distance),
            ]
            // A tag that nobody knows in all entries.
            library.numbers32 = [(0x37f0, 99), (0x37f8, 99), (0x37e8, 99)]
            return library.error
        }
        #expect(error(at: 16) == nil)
        #expect(error(at: 24) == .truncated(.dynamicSection, offset: 0x3800, expected: 8, found: 0))
        #expect(error(at: 8) == .truncated(.dynamicSection, offset: 0x3800, expected: 8, found: 0))
    }

    @Test func `of two segments the last counts`() throws {
        let library = RawLibrary(
            others: [.init(kind: 2, address: 0x3800)], entries: [(.soname, 1)])
        #expect(try ELFImage(reading: library.bytes).dynamic?.soname == nil)
    }

    // MARK: - Strings

    @Test func `a table of strings has a place and a size in the file`() {
        let library = RawLibrary()
        #expect(library.error { $0.missing = [.strTab] } == .missing(.stringTable, tag: "DT_STRTAB"))
        #expect(library.error { $0.missing = [.strSize] } == .missing(.stringTable, tag: "DT_STRSZ"))
        let room = RawLibrary.size - RawLibrary.strings
        #expect(library.error { $0.entries = [(.strSize, room)] } == nil)
        #expect(
            library.error { $0.entries = [(.strSize, room + 1)] }
                == .truncated(.stringTable, offset: RawLibrary.strings, expected: room + 1, found: room))
        #expect(
            library.error { $0.entries = [(.strSize, .max)] }
                == .truncated(.stringTable, offset: RawLibrary.strings, expected: .max, found: room))
    }

    @Test func `a string begins and ends in its table`() throws {
        let size = RawLibrary.namesSize
        #expect(try section([(.soname, size - 1)]).soname == "")
        #expect(throws: ELFError.truncated(.string, offset: size, expected: 1, found: 0)) {
            try section([(.soname, size)])
        }
        #expect(
            throws: ELFError.unterminated(.string, offset: RawLibrary.strings + 16, limit: 65_535)
        ) {
            try section([(.soname, 16), (.strSize, size - 1)])
        }
    }

    @Test func `32 MiB of strings are copied, and no more`() throws {
        let length: UInt64 = 1 << 15
        let budget: UInt64 = 32 << 20
        /// Reads names of 32 KiB each, and then one of this length.
        func read(_ last: UInt64) throws {
            var library = RawLibrary(others: [
                .init(
                    kind: 1, offset: RawLibrary.size, address: 0x10000, fileSize: 0x20000,
                    memorySize: 0x20000)
            ])
            library.dynamic.address = 0x10000
            var bytes = library.bytes + [UInt8](repeating: 0, count: 0x20000)
            func write(_ number: UInt64, at offset: Int) {
                for byte in 0..<8 {
                    bytes[Int(RawLibrary.size) + offset + byte] = UInt8(
                        truncatingIfNeeded: number >> (byte * 8))
                }
            }
            // Strings from 0x8000 on: one of 32 KiB, whose tail is the last name.
            for index in 0..<Int(length) { bytes[Int(RawLibrary.size) + 0x8000 + index] = 120 }
            let count = Int(budget / length)
            for (index, entry) in ([(5, 0x18000), (10, length + 1)] as [(UInt64, UInt64)]).enumerated() {
                write(entry.0, at: index * 16)
                write(entry.1, at: index * 16 + 8)
            }
            for index in 0...count {
                write(1, at: (index + 2) * 16)
                write(index < count ? 0 : length - last, at: (index + 2) * 16 + 8)
            }
            _ = try unsafe bytes.withUnsafeBytes {
                let reader = unsafe ByteReader($0)
                let segments = try unsafe ProgramHeader.all(of: ELFHeader(reading: reader), reading: reader)
                let table = try #require(try unsafe DynamicTable(of: segments, reading: reader))
                let found = try unsafe DynamicSection(table, in: segments, reading: reader)
                #expect(found.needed.count == count + 1)
            }
        }
        try read(0)
        #expect(throws: ELFError.excessive(.stringTable, limit: budget, found: budget + 1)) { try read(1) }
        #expect(throws: ELFError.excessive(.stringTable, limit: budget, found: budget + 7)) { try read(7) }
    }
}
