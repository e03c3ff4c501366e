// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseLibrary

/// Which version numbers symbols may have.
@Suite(.timeLimit(.minutes(10))) struct SymbolVersionsTests {
    /// Where the numbers, the needed versions and the offered ones are.
    private static let (numbers, needed, offered): (Int, Int, Int) = (0xf00, 0x1000, 0x1200)

    /// A library with two symbols, of which the second has this number, and with records.
    private func error(
        of number: UInt16, needed: [(Int, UInt32)] = [], offered: [(Int, UInt32)] = [],
        change: (inout RawLibrary) -> Void = { _ in }
    ) -> ELFError? {
        var library = RawLibrary(symbols: [.init(), .init()])
        library.entries = [(.verSym, UInt64(Self.numbers))]
        library.numbers16 = [(Self.numbers + 2, 1), (Self.numbers + 4, number), (Self.numbers + 6, 0x7fff)]
        if !needed.isEmpty { library.entries.append((.verNeed, UInt64(Self.needed))) }
        if !offered.isEmpty { library.entries.append((.verDef, UInt64(Self.offered))) }
        library.numbers32 =
            needed.map { (Self.needed + $0, $1) } + offered.map { (Self.offered + $0, $1) }
        change(&library)
        return library.error
    }

    /// The error for a number that is greater than all that records have.
    private func refused(_ number: UInt64, greatest: UInt64) -> ELFError {
        .excessive(.versions, limit: greatest, found: number)
    }

    @Test func `0 and 1 need no record, and the highest bit does not count`() {
        for number in [0, 1, 0x8000, 0x8001] as [UInt16] { #expect(error(of: number) == nil) }
        #expect(error(of: 2) == refused(2, greatest: 1))
        #expect(error(of: 0x8002) == refused(2, greatest: 1))
        #expect(error(of: 9) { $0.entries = [] } == nil)
    }

    @Test func `each symbol has a number in the file`() {
        let start = RawLibrary.size - 6
        let last = { (library: inout RawLibrary) in
            library.others = [
                .init(
                    kind: 1, permissions: 4, offset: 0x3000, address: 0x8000, fileSize: 0x800,
                    memorySize: 0x800)
            ]
        }
        #expect(
            error(of: 0) {
                last(&$0)
                $0.entries = [(.verSym, start - 0x3000 + 0x8000)]
            } == nil)
        #expect(
            error(of: 0) {
                last(&$0)
                $0.entries = [(.verSym, start + 1 - 0x3000 + 0x8000)]
            } == .truncated(.versions, offset: start + 1, expected: 6, found: 5))
    }

    @Test func `the parts of needed versions have numbers`() {
        // Two records; the first has two parts, at 32 and 48, the second at 16 has one at 64.
        let records: [(Int, UInt32)] = [
            (8, 32), (12, 16), (32 + 4, 5 << 16), (32 + 12, 16), (48 + 4, 0x8003 << 16), (16 + 8, 48),
            (64 + 4, 4 << 16),
        ]
        #expect(error(of: 5, needed: records) == nil)
        #expect(error(of: 6, needed: records) == refused(6, greatest: 5))
        let second = records.map { $0.0 == 48 + 4 ? ($0.0, 0x8007 << 16) : $0 }
        #expect(error(of: 7, needed: second) == nil)
        #expect(error(of: 8, needed: second) == refused(8, greatest: 7))
        let third = records.map { $0.0 == 64 + 4 ? ($0.0, 9 << 16) : $0 }
        #expect(error(of: 9, needed: third) == nil)
        #expect(error(of: 10, needed: third) == refused(10, greatest: 9))
    }

    @Test func `offered versions have numbers themselves`() {
        let records: [(Int, UInt32)] = [(4, 3), (16, 20), (20 + 4, 0x8006)]
        #expect(error(of: 6, offered: records) == nil)
        #expect(error(of: 7, offered: records) == refused(7, greatest: 6))
        #expect(error(of: 3, offered: [(4, 3)]) == nil)
        #expect(error(of: 4, offered: [(4, 3)]) == refused(4, greatest: 3))
    }

    @Test func `the greatest number of both kinds of records counts`() {
        #expect(error(of: 8, needed: [(8, 16), (16 + 4, 4 << 16)], offered: [(4, 8)]) == nil)
        #expect(error(of: 8, needed: [(8, 16), (16 + 4, 8 << 16)], offered: [(4, 4)]) == nil)
        #expect(
            error(of: 9, needed: [(8, 16), (16 + 4, 8 << 16)], offered: [(4, 4)]) == refused(9, greatest: 8))
    }

    @Test func `a record lies whole in its segment`() {
        for (tag, size) in [(DynamicTag.verNeed, 16), (.verDef, 20)] as [(DynamicTag, UInt64)] {
            // A needed version leads to a part, which begins with the record itself when its offset is 0.
            #expect(error(of: 0) { $0.entries.append((tag, 0x4000 - size)) } == nil)
            #expect(
                error(of: 0) { $0.entries.append((tag, 0x4001 - size)) }
                    == .unmapped(.versions, address: 0x4001 - size))
        }
        #expect(
            error(of: 0, needed: [(8, 0xff1)]) == .unmapped(.versions, address: 0x1ff1))
        #expect(error(of: 0, needed: [(8, 0xff0)]) == nil)
    }

    @Test func `4096 records are read, and no more`() {
        func long(_ count: Int) -> ELFError? {
            var library = RawLibrary(symbols: [.init()])
            library.entries = [(.verSym, UInt64(Self.numbers)), (.verDef, 0x10000)]
            library.others = [
                .init(
                    kind: 1, permissions: 4, offset: RawLibrary.size, address: 0x10000, fileSize: 0x20000,
                    memorySize: 0x20000)
            ]
            var bytes = library.bytes + [UInt8](repeating: 0, count: 0x20000)
            for index in 0..<count - 1 { bytes[Int(RawLibrary.size) + index * 20 + 16] = 20 }
            do {
                _ = try ELFImage(reading: bytes)
                return nil
            } catch {
                return error
            }
        }
        #expect(long(4_096) == nil)
        #expect(long(4_097) == .excessive(.versions, limit: 4_096, found: 4_097))
    }
}
