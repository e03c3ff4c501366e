// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseLibrary

/// Where sections may lie, to the byte.
@Suite(.timeLimit(.minutes(10))) struct SectionTableTests {
    typealias Section = RawLibrary.Section

    /// What is said of sections.
    private func error(
        _ sections: Section..., change: (inout RawLibrary) -> Void = { _ in }
    ) -> ELFError? {
        RawLibrary(sections: sections).error(change)
    }

    /// The error for a section that is not where it should be.
    private func refused(_ section: Section, _ expected: String, index: Int = 1) -> ELFError {
        .mismatch(
            .sectionHeaders, expected: "section \(index) \(expected)",
            found: "\(section.size) bytes at 0x\(String(section.address, radix: 16))")
    }

    /// A section that is nowhere, of which any check complains.
    private static let lost = Section(address: 0x9000, size: 1)

    // MARK: - The table

    @Test func `sections are looked at when the header tells of more than the empty one`() {
        #expect(error(Self.lost) == refused(Self.lost, "inside a loaded segment"))
        #expect(
            error(Self.lost) { $0.sectionSize = 65 } == .entrySize(.sectionHeaders, expected: 64, found: 65))
        #expect(
            error(Self.lost) { $0.sectionSize = 63 } == .entrySize(.sectionHeaders, expected: 64, found: 63))
        let alone = RawLibrary(symbols: [.init(section: 0, value: 0)], sectionSize: 65, numbers16: [(60, 1)])
        #expect(alone.error == nil)
    }

    @Test func `a number of sections from 0xff00 on is none`() throws {
        for (count, isRead) in [(0xfeff, true), (0xff00, false)] as [(UInt16, Bool)] {
            let library = RawLibrary(sectionSize: 65, numbers16: [(60, count)])
            let bytes = library.bytes + [UInt8](repeating: 0, count: 65 * 0xff00)
            if isRead {
                #expect(throws: ELFError.entrySize(.sectionHeaders, expected: 64, found: 65)) {
                    try ELFImage(reading: bytes)
                }
            } else {
                #expect(throws: Never.self) { try ELFImage(reading: bytes) }
            }
        }
    }

    @Test func `each section is looked at, in the order of the table, with its own number`() {
        let sound = Section(address: 0x100, offset: 0x100, size: 8)
        #expect(error(sound, sound) == nil)
        #expect(error(sound, sound, Self.lost) == refused(Self.lost, "inside a loaded segment", index: 3))
        let second = Section(address: 0xa000, size: 1)
        #expect(error(sound, Self.lost, second) == refused(Self.lost, "inside a loaded segment", index: 2))
    }

    @Test func `what is not mapped, empty or unused need not be anywhere`() {
        for change in [
            { $0.flags = 0 }, { $0.size = 0 }, { $0.kind = 0 }, { $0.flags = ~2 },
        ] as [(inout Section) -> Void] {
            var section = Self.lost
            change(&section)
            #expect(error(section) == nil)
        }
    }

    // MARK: - Places

    @Test func `a section ends at the latest where its segment does`() {
        let zeros = Section(kind: 8, address: 0x4700, size: 0x100)
        #expect(error(zeros) == nil)
        let longer = Section(kind: 8, address: 0x4700, size: 0x101)
        #expect(error(longer) == refused(longer, "inside a loaded segment"))
        let before = Section(kind: 8, address: 0x2fff, size: 1)
        #expect(error(before) == refused(before, "inside a loaded segment"))
    }

    @Test func `the bytes of a section are those that its segment maps`() {
        let expected = "where the loaded segment has it"
        let sound = Section(address: 0x3f00, offset: 0x2f00, size: 0x100)
        #expect(error(sound) == nil)
        for section in [
            Section(address: 0x3f00, offset: 0x2f00, size: 0x101),
            Section(address: 0x3f00, offset: 0x2f01, size: 0x100),
            Section(address: 0x4000, offset: 0x3000, size: 1),
            Section(address: 0x4001, offset: 0x3001, size: 1),
            Section(kind: 7, address: 0x3f00, offset: 0x3f00, size: 1),
            Section(kind: 9, address: 0x3f00, offset: 0x3f00, size: 1),
        ] { #expect(error(section) == refused(section, expected)) }
        // Zeros have no bytes, wherever the table says that they are.
        #expect(error(Section(kind: 8, address: 0x3f00, offset: 0x9999, size: 0x800)) == nil)
    }

    @Test func `a thread-local section lies in the storage, its zeros nowhere else`() {
        let sound = Section(flags: 0x403, address: 0x3400, offset: 0x2400, size: 16)
        #expect(error(sound) == nil)
        let expected = "inside the thread-local storage"
        for section in [
            Section(flags: 0x403, address: 0x3410, offset: 0x2410, size: 17),
            Section(flags: 0x403, address: 0x3500, offset: 0x2500, size: 1),
        ] { #expect(error(section) == refused(section, expected)) }
        let zeros = Section(kind: 8, flags: 0x403, address: 0x7010, size: 16)
        let elsewhere: (inout RawLibrary) -> Void = {
            ($0.storage.address, $0.storage.fileSize) = (0x7000, 0)
        }
        #expect(error(zeros, change: elsewhere) == nil)
        let bytes = Section(flags: 0x403, address: 0x7010, size: 16)
        #expect(error(bytes, change: elsewhere) == refused(bytes, "inside a loaded segment"))
        #expect(error(sound) { $0.storage.kind = 0x6fff_0000 } == refused(sound, expected))
        // Of two, the last counts.
        #expect(
            error(sound) { $0.others = [.init(kind: 7, address: 0x3800, memorySize: 8)] }
                == refused(sound, expected))
    }

    @Test func `a segment allows what its sections are for`() {
        let expected = "in a segment that allows what it is for"
        let inCode = { (flags: UInt64) in Section(flags: flags, address: 0x1800, offset: 0x1800, size: 8) }
        let inData = { (flags: UInt64) in Section(flags: flags, address: 0x3500, offset: 0x2500, size: 8) }
        for section in [inCode(2), inCode(6), inData(2), inData(3)] { #expect(error(section) == nil) }
        for section in [inCode(3), inCode(7), inData(6), inData(7)] {
            #expect(error(section) == refused(section, expected))
        }
        // Code need not be readable; what is not run must be.
        let unreadable: (inout RawLibrary) -> Void = { $0.code.permissions = 1 }
        #expect(error(inCode(6), change: unreadable) == nil)
        #expect(error(inCode(2), change: unreadable) == refused(inCode(2), expected))
        #expect(error(inData(3)) { $0.data.permissions = 2 } == refused(inData(3), expected))
    }

    // MARK: - The dynamic section

    @Test func `sections that the dynamic section knows are where it has them`() {
        let expected = "where the dynamic section has it"
        let tables: [(UInt32, DynamicTag, DynamicTag)] = [
            (14, .initArray, .initArraySize), (15, .finiArray, .finiArraySize),
        ]
        let section = Section(flags: 3, address: 0x3500, offset: 0x2500, size: 8)
        for (kind, start, length) in tables {
            var array = section
            array.kind = kind
            #expect(error(array) { $0.entries = [(start, 0x3500), (length, 8)] } == nil)
            #expect(
                error(array) { $0.entries = [(start, 0x3500), (length, 16)] } == refused(array, expected))
            #expect(error(array) { $0.entries = [(start, 0x3508), (length, 8)] } == refused(array, expected))
            #expect(error(array) == refused(array, expected))
        }
        for kind in [13, 16] as [UInt32] {
            var other = section
            other.kind = kind
            #expect(error(other) == nil)
        }
        let packed = Section(
            kind: 19, address: RawLibrary.packedTable, offset: RawLibrary.packedTable, size: 8)
        #expect(error(packed) { $0.packed = [0x3500] } == nil)
        #expect(error(packed) { $0.packed = [0x3500, 0x3600] } == refused(packed, expected))
        #expect(error(packed) == refused(packed, expected))
        for kind in [18, 20] as [UInt32] {
            #expect(error(Section(kind: kind, address: 0xe00, offset: 0xe00, size: 8)) == nil)
        }
        let symbols = Section(
            kind: 11, address: RawLibrary.symbolTable, offset: RawLibrary.symbolTable, size: 48)
        #expect(error(symbols) == nil)
        let moved = Section(kind: 11, address: 0x718, offset: 0x718, size: 48)
        #expect(error(moved) == refused(moved, expected))
        for kind in [10, 12] as [UInt32] {
            #expect(error(Section(kind: kind, address: 0x718, offset: 0x718, size: 8)) == nil)
        }
    }

    @Test func `the section of the dynamic section is where its segment is`() {
        let sound = Section(kind: 6, flags: 3, address: 0x3100, offset: 0x2100, size: 0x100)
        #expect(error(sound) == nil)
        let moved = Section(kind: 6, flags: 3, address: 0x3110, offset: 0x2110, size: 0x100)
        #expect(error(moved) == refused(moved, "where the dynamic segment is"))
        for kind in [5, 7] as [UInt32] {
            #expect(error(Section(kind: kind, flags: 3, address: 0x3110, offset: 0x2110, size: 8)) == nil)
        }
    }

    @Test func `the sections of relocations are as long together as the dynamic section says`() throws {
        let kinds = try #require(ELFMachine.current.flatMap(RelocationKinds.init(of:)))
        let library = RawLibrary(
            relocations: [.init(place: 0x3500, kind: kinds.relative, addend: 0x40)],
            functions: [.init(place: 0x3600, kind: kinds.jumpSlot, symbol: 1)])
        let first = Section(kind: 4, address: 0xa00, offset: 0xa00, size: 24)
        let second = Section(kind: 4, address: 0xc00, offset: 0xc00, size: 24)
        #expect(library.error { $0.sections = [first, second] } == nil)
        func refused(_ expected: Int, _ found: Int) -> ELFError {
            .mismatch(
                .sectionHeaders, expected: "\(expected) bytes of relocations in the dynamic section",
                found: "\(found)")
        }
        #expect(library.error { $0.sections = [first] } == refused(24, 48))
        #expect(library.error { $0.sections = [first, second, second] } == refused(72, 48))
        for kind in [3, 5] as [UInt32] {
            var other = second
            other.kind = kind
            #expect(library.error { $0.sections = [first, other] } == refused(24, 48))
        }
        #expect(
            library.error {
                $0.sections = [first]
                $0.functions = []
            } == nil)
        #expect(
            library.error {
                $0.sections = [second]
                $0.relocations = []
            } == nil)
        // The size alone is no table.
        #expect(
            library.error {
                $0.sections = [first]
                $0.missing = [.jmpRel]
            } == nil)
        #expect(
            library.error {
                $0.sections = [second]
                $0.missing = [.rela]
            } == nil)
        #expect(
            library.error {
                $0.sections = [second]
                $0.missing = [.relaSize]
            } == nil)
    }

    // MARK: - Protected pages

    /// A library whose data from `address` on is finally made read-only, with a section at the end of the first page of it.
    private func protected(
        _ name: UInt32, from address: UInt64 = 0x3000, size: UInt64 = 0x1000, at place: UInt64 = 0x3ff8,
        length: UInt64 = 8, flags: UInt64 = 3, change: (inout RawLibrary) -> Void = { _ in }
    ) -> ELFError? {
        let zeros = Section(name: name, kind: 8, flags: flags, address: place, size: length)
        let names = Section(kind: 3, flags: 0, offset: RawLibrary.strings, size: RawLibrary.namesSize)
        return error(zeros, names) {
            $0.others = [
                .init(kind: 0x6474_e552, permissions: 4, address: address, memorySize: size)
            ]
            $0.sectionNames = 2
            change(&$0)
        }
    }

    private static let readOnly = ELFError.mismatch(
        .sectionHeaders, expected: "section 1, which is written to, to stay so",
        found: "it in what the loader makes read-only")

    @Test func `plain data is in no page that the loader makes read-only`() {
        #expect(protected(RawLibrary.dataName) == Self.readOnly)
        #expect(protected(RawLibrary.bssName) == Self.readOnly)
        #expect(protected(RawLibrary.otherName) == nil)
        #expect(protected(RawLibrary.dataName, flags: 2) == nil)
        #expect(protected(RawLibrary.dataName, at: 0x3400, flags: 0x403) == nil)
    }

    @Test func `only whole pages are made read-only`() {
        // From 0x3000 to 0x4000, whatever is told in between.
        for (address, size) in [(0x3000, 0x1000), (0x3fff, 1), (0x3800, 0x17ff)] as [(UInt64, UInt64)] {
            #expect(protected(RawLibrary.dataName, from: address, size: size) == Self.readOnly)
        }
        for (address, size) in [(0x3000, 0xfff), (0x3fff, 0), (0x4000, 0x1000)] as [(UInt64, UInt64)] {
            #expect(protected(RawLibrary.dataName, from: address, size: size) == nil)
        }
        #expect(protected(RawLibrary.dataName, at: 0x3ff8, length: 9) == Self.readOnly)
        #expect(protected(RawLibrary.dataName, at: 0x3fff, length: 1) == Self.readOnly)
        #expect(protected(RawLibrary.dataName, at: 0x4000) == nil)
        #expect(protected(RawLibrary.dataName, from: 0x4000, at: 0x3ff8) == nil)
        #expect(protected(RawLibrary.dataName, from: 0x4000, at: 0x3ff8, length: 9) == Self.readOnly)
        // An end beyond all addresses is none.
        #expect(protected(RawLibrary.dataName, size: UInt64.max) == Self.readOnly)
        #expect(protected(RawLibrary.dataName) { $0.others.append(.init(kind: 0x6474_e552)) } == nil)
    }

    @Test func `without names of sections none is plain data`() {
        #expect(protected(RawLibrary.dataName) { $0.sectionNames = 0 } == nil)
        #expect(protected(RawLibrary.dataName) { $0.sectionNames = 3 } == nil)
        #expect(
            protected(RawLibrary.dataName) {
                $0.sections.swapAt(0, 1)
                $0.sectionNames = 1
            }
                == .mismatch(
                    .sectionHeaders, expected: "section 2, which is written to, to stay so",
                    found: "it in what the loader makes read-only"))
        #expect(protected(RawLibrary.dataName) { $0.sections[1].offset = .max } == nil)
        for (offset, isRead) in [(UInt64.max - 5, true), (UInt64.max - 4, false)] {
            let found = protected(RawLibrary.dataName) {
                ($0.sections[1].offset, $0.sections[1].size) = (offset, 4)
            }
            #expect(
                found
                    == (isRead ? .unterminated(.sectionHeaders, offset: .max, limit: 4_096) : nil))
        }
        #expect(
            protected(RawLibrary.dataName) { $0.sections[1].size = 6 }
                == .unterminated(.sectionHeaders, offset: RawLibrary.strings + 5, limit: 4_096))
        #expect(
            protected(RawLibrary.dataName) { $0.sections[1].size = 10 }
                == .unterminated(.sectionHeaders, offset: RawLibrary.strings + 5, limit: 4_096))
        #expect(protected(RawLibrary.dataName) { $0.sections[1].size = 11 } == Self.readOnly)
    }
}
