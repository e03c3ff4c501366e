// SPDX-License-Identifier: Apache-2.0

@testable import GatehouseLibrary

/// A library whose every field a test can set, each part at a fixed place.
///
/// Tables and code lie in the first segment, at addresses that equal their offsets: 0 to 0x2000, code from 0x1800 on. Data lies in
/// the second, at addresses a page further on: 0x3000 to 0x4000 in the file, and zeros up to 0x4800. Sections follow both.
struct RawLibrary {
    /// A program header.
    struct Segment {
        var kind: UInt32
        var permissions: UInt32 = 6
        var offset: UInt64 = 0
        var address: UInt64 = 0
        var fileSize: UInt64 = 0
        var memorySize: UInt64 = 0
        var alignment: UInt64 = 8
    }

    /// An entry of the symbol table; a function in code unless a test says otherwise.
    struct Symbol {
        var name: UInt32 = 1
        var binding: UInt8 = 1
        var kind: UInt8 = 2
        var visibility: UInt8 = 0
        var section: UInt16 = 1
        var value: UInt64 = 0x1800
        var size: UInt64 = 8
    }

    /// A relocation with an addend.
    struct Relocation {
        var place: UInt64
        var kind: UInt32
        var symbol: UInt32 = 0
        var addend: UInt64 = 0
    }

    /// A section; flag 1 is to write, 2 is mapped, 4 to run, 0x400 thread-local.
    struct Section {
        var name: UInt32 = 0
        var kind: UInt32 = 1
        var flags: UInt64 = 2
        var address: UInt64 = 0
        var offset: UInt64 = 0
        var size: UInt64 = 0
    }

    /// The machine that this code was compiled for, of which all relocations are checked.
    var machine = ELFMachine.current?.rawValue ?? 62
    /// The part that is read and run.
    var code = Segment(kind: 1, permissions: 5, fileSize: 0x2000, memorySize: 0x2000)
    /// The part that is read and written.
    var data = Segment(kind: 1, offset: 0x2000, address: 0x3000, fileSize: 0x1000, memorySize: 0x1800)
    /// The dynamic section.
    var dynamic = Segment(kind: 2, offset: 0x2100, address: 0x3100, fileSize: 0x200, memorySize: 0x200)
    /// The thread-local storage.
    var storage = Segment(kind: 7, offset: 0x2400, address: 0x3400, fileSize: 16, memorySize: 32)
    /// The stack.
    var stack = Segment(kind: 0x6474_e551)
    /// Further segments, after the others.
    var others: [Segment] = []
    /// The symbols after the empty first one.
    var symbols = [Symbol()]
    /// The relocations with addends, and those of functions.
    var relocations: [Relocation] = []
    var functions: [Relocation] = []
    /// The words of the packed relocations.
    var packed: [UInt64] = []
    /// Entries of the dynamic section after those that the parts need, which they replace.
    var entries: [(tag: DynamicTag, value: UInt64)] = []
    /// Entries of the dynamic section that are left out.
    var missing: Set<DynamicTag> = []
    /// The sections after the empty first one; the header tells of none when there are none.
    var sections: [Section] = []
    /// The size of a section's entry, and the section with the names.
    var sectionSize: UInt16 = 64
    var sectionNames: UInt16 = 0
    /// Numbers that are written at an offset in the end.
    var numbers32: [(offset: Int, number: UInt32)] = []
    var numbers16: [(offset: Int, number: UInt16)] = []

    /// Where the parts are.
    static let strings: UInt64 = 0x400
    static let hash: UInt64 = 0x600
    static let symbolTable: UInt64 = 0x700
    static let relocationTable: UInt64 = 0xa00
    static let functionTable: UInt64 = 0xc00
    static let packedTable: UInt64 = 0xe00
    static let sectionTable: UInt64 = 0x3000
    static let size: UInt64 = 0x3800

    /// The names that the tables of strings hold, each with its offset there.
    static let names = "\0one\0.data\0.bss\0.other\0"
    static let (one, dataName, bssName, otherName): (UInt32, UInt32, UInt32, UInt32) = (1, 5, 11, 16)
    static let namesSize: UInt64 = 23

    /// The bytes of the file.
    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(Self.size))
        func put(_ number: some FixedWidthInteger, at offset: inout Int) {
            for byte in 0..<number.bitWidth / 8 {
                bytes[offset] = UInt8(truncatingIfNeeded: number >> (byte * 8))
                offset += 1
            }
        }
        func write(_ numbers: [any FixedWidthInteger], at offset: UInt64) {
            var offset = Int(offset)
            for number in numbers { put(number, at: &offset) }
        }
        let segments = [code, data, dynamic, storage, stack] + others
        write([UInt32(0x464c_457f), UInt8(2), UInt8(1), UInt8(1)], at: 0)
        write([UInt16(3), machine, UInt32(1), UInt64(0), UInt64(64), Self.sectionTable], at: 16)
        let sectionCount = sections.isEmpty ? 0 : UInt16(sections.count + 1)
        write([UInt16(64), UInt16(56), UInt16(segments.count)], at: 52)
        write([sectionSize, sectionCount, sectionNames], at: 58)
        for (index, part) in segments.enumerated() {
            write(
                [
                    part.kind, part.permissions, part.offset, part.address, part.address, part.fileSize,
                    part.memorySize, part.alignment,
                ], at: 64 + UInt64(index) * 56)
        }
        bytes.replaceSubrange(Int(Self.strings)..<Int(Self.strings + Self.namesSize), with: Self.names.utf8)
        write([UInt32(1), UInt32(symbols.count + 1)], at: Self.hash)
        for (index, symbol) in symbols.enumerated() {
            write(
                [
                    symbol.name, symbol.binding << 4 | symbol.kind, symbol.visibility, symbol.section,
                    symbol.value, symbol.size,
                ], at: Self.symbolTable + 24 * UInt64(index + 1))
        }
        for (table, start) in [(relocations, Self.relocationTable), (functions, Self.functionTable)] {
            for (index, relocation) in table.enumerated() {
                write(
                    [relocation.place, relocation.kind, relocation.symbol, relocation.addend],
                    at: start + 24 * UInt64(index))
            }
        }
        write(packed, at: Self.packedTable)
        for (index, entry) in dynamicEntries.enumerated() {
            write([entry.tag.rawValue, entry.value], at: dynamic.offset + 16 * UInt64(index))
        }
        for (index, section) in sections.enumerated() {
            write(
                [
                    section.name, section.kind, section.flags, section.address, section.offset, section.size,
                ], at: Self.sectionTable + 64 * UInt64(index + 1))
        }
        for (offset, number) in numbers32 { write([number], at: UInt64(offset)) }
        for (offset, number) in numbers16 { write([number], at: UInt64(offset)) }
        return bytes
    }

    /// The entries of the dynamic section without the last, empty one.
    private var dynamicEntries: [(tag: DynamicTag, value: UInt64)] {
        var all: [(tag: DynamicTag, value: UInt64)] = [
            (.strTab, Self.strings), (.strSize, Self.namesSize), (.symTab, Self.symbolTable),
            (.symEntry, 24), (.hash, Self.hash),
        ]
        if !relocations.isEmpty {
            all += [(.rela, Self.relocationTable), (.relaSize, UInt64(relocations.count) * 24)]
            all.append((.relaEntry, 24))
        }
        if !functions.isEmpty {
            all += [(.jmpRel, Self.functionTable), (.pltRelSize, UInt64(functions.count) * 24), (.pltRel, 7)]
        }
        if !packed.isEmpty {
            all += [(.relr, Self.packedTable), (.relrSize, UInt64(packed.count) * 8), (.relrEntry, 8)]
        }
        return all.filter { !missing.contains($0.tag) } + entries
    }

    /// What reading the file says; nil when it can be read.
    var error: ELFError? {
        do {
            _ = try ELFImage(reading: bytes)
            return nil
        } catch {
            return error
        }
    }

    /// What reading the file says of a change of it.
    func error(_ change: (inout RawLibrary) -> Void) -> ELFError? {
        var changed = self
        change(&changed)
        return changed.error
    }
}
