// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseLibrary

/// What each kind of relocation may be, to the byte.
@Suite(.timeLimit(.minutes(10))) struct RelocationsTests {
    /// The numbers of the kinds on this machine.
    private let kinds: RelocationKinds

    init() throws { kinds = try #require(ELFMachine.current.flatMap(RelocationKinds.init(of:))) }

    /// The place that most relocations here are for.
    private static let place: UInt64 = 0x3500

    /// What is said of relocations with addends.
    private func error(
        _ relocations: RawLibrary.Relocation..., symbol: RawLibrary.Symbol = .init(),
        change: (inout RawLibrary) -> Void = { _ in }
    ) -> ELFError? {
        RawLibrary(symbols: [symbol], relocations: relocations).error(change)
    }

    /// What is said of functions' relocations.
    private func functionError(
        _ functions: RawLibrary.Relocation..., symbols: [RawLibrary.Symbol] = [.init()]
    ) -> ELFError? {
        RawLibrary(symbols: symbols, functions: functions).error
    }

    /// A relocation at the usual place.
    private func one(_ kind: UInt32, symbol: UInt32 = 0, addend: UInt64 = 0) -> RawLibrary.Relocation {
        .init(place: Self.place, kind: kind, symbol: symbol, addend: addend)
    }

    /// The error for a relocation at the usual place that is not what it should be.
    private func refused(_ relocation: RawLibrary.Relocation, _ expected: String) -> ELFError {
        .mismatch(
            .relocations, expected: expected,
            found:
                "kind \(relocation.kind), symbol \(relocation.symbol) and 0x\(String(relocation.addend, radix: 16)) at 0x\(String(relocation.place, radix: 16))"
        )
    }

    @Test func `each machine has the numbers of its standard`() throws {
        func numbers(_ machine: ELFMachine) throws -> [UInt32] {
            let kinds = try #require(RelocationKinds(of: machine))
            return [
                kinds.absolute, kinds.address, kinds.jumpSlot, kinds.relative, kinds.indirect,
                kinds.storageModule, kinds.storageOffset, kinds.storagePlace, kinds.storageDescriptor,
            ]
        }
        #expect(try numbers(.x86_64) == [1, 6, 7, 8, 37, 16, 17, 18, 36])
        #expect(try numbers(.aarch64) == [257, 1025, 1026, 1027, 1032, 1028, 1029, 1030, 1031])
        #expect(RelocationKinds(of: .riscv) == nil)
    }

    @Test func `of another machine only places and symbols are checked`() {
        let other: UInt16 = ELFMachine.current == .riscv ? 62 : 243
        #expect(error(one(12_345)) { $0.machine = other } == nil)
        #expect(
            error(.init(place: 0x4801, kind: 12_345)) { $0.machine = other }
                == .unmapped(.relocations, address: 0x4801))
        #expect(
            error(one(12_345, symbol: 2)) { $0.machine = other }
                == .excessive(.relocations, limit: 1, found: 2))
        let apart = RawLibrary(
            machine: other,
            functions: [.init(place: 0x3500, kind: 12_345), .init(place: 0x3600, kind: 12_345)])
        #expect(apart.error == nil)
    }

    // MARK: - Tables

    @Test func `a table is read as far as it has whole entries`() {
        let bad = one(12_345)
        let good = RawLibrary.Relocation(place: 0x3600, kind: kinds.relative, addend: 0x40)
        for (size, isBad) in [(24, true), (23, false), (0, false)] as [(UInt64, Bool)] {
            let found = error(bad) { $0.entries = [(.relaSize, size)] }
            #expect((found != nil) == isBad, "\(size)")
        }
        for (size, isBad) in [(48, true), (47, false), (49, true)] as [(UInt64, Bool)] {
            let found = error(good, bad) { $0.entries = [(.relaSize, size)] }
            #expect((found != nil) == isBad, "\(size)")
        }
        #expect(error(bad) { $0.missing = [.relaSize] } == nil)
        #expect(error(bad) { $0.missing = [.rela] } == nil)
    }

    @Test func `a table that leaves the file is refused as a whole`() {
        let found = RawLibrary.size - RawLibrary.relocationTable
        #expect(
            error(one(kinds.relative, addend: 0x40)) { $0.entries = [(.relaSize, found + 1)] }
                == .truncated(
                    .relocations, offset: RawLibrary.relocationTable, expected: found + 1, found: found))
        let packed = RawLibrary.size - RawLibrary.packedTable
        #expect(
            RawLibrary(packed: [Self.place], entries: [(.relrSize, packed + 1)]).error
                == .truncated(
                    .relocations, offset: RawLibrary.packedTable, expected: packed + 1, found: packed))
    }

    @Test func `entries must have the size that the loader steps by`() {
        let sound = RawLibrary(relocations: [one(kinds.relative, addend: 0x40)], packed: [0x3600])
        #expect(sound.error == nil)
        #expect(
            sound.error { $0.entries = [(.relaEntry, 25)] }
                == .entrySize(.relocations, expected: 24, found: 25))
        #expect(
            sound.error { $0.entries = [(.relrEntry, 9)] } == .entrySize(.relocations, expected: 8, found: 9))
        #expect(
            sound.error { $0.entries = [(.relrEntry, 7), (.relaEntry, 23)] }
                == .entrySize(.relocations, expected: 24, found: 23))
        #expect(sound.error { $0.missing = [.relaEntry, .relrEntry] } == nil)
    }

    @Test func `functions' relocations come with their kind and size`() {
        let sound = RawLibrary(functions: [one(kinds.jumpSlot, symbol: 1)])
        #expect(sound.error == nil)
        let incomplete = ELFError.mismatch(
            .relocations, expected: "the kind and the size of the functions' relocations",
            found: "neither or one of them")
        #expect(sound.error { $0.missing = [.pltRel] } == incomplete)
        #expect(sound.error { $0.missing = [.pltRelSize] } == incomplete)
        #expect(sound.error { $0.missing = [.pltRel, .pltRelSize] } == incomplete)
        #expect(sound.error { $0.missing = [.jmpRel, .pltRel, .pltRelSize] } == nil)
        #expect(
            sound.error { $0.entries = [(.pltRel, 8)] }
                == .mismatch(.relocations, expected: "functions' relocations of kind 7", found: "8"))
    }

    @Test func `of several defects the first in the order of the tables is told`() {
        let bad = one(12_345)
        let kind = ELFError.mismatch(
            .relocations, expected: "functions' relocations of kind 7", found: "8")
        let library = RawLibrary(
            relocations: [bad], functions: [one(12_346)], packed: [0x9000], entries: [(.pltRel, 8)])
        #expect(library.error == kind)
        let unknown = "a kind that linkers write into libraries"
        #expect(library.error { $0.entries = [] } == refused(bad, unknown))
        #expect(
            library.error {
                $0.entries = []
                $0.relocations = []
            } == refused(one(12_346), unknown))
        let apart = RawLibrary(
            symbols: [.init(), .init()],
            functions: [
                .init(place: 0x3500, kind: kinds.jumpSlot, symbol: 1),
                .init(place: 0x3504, kind: kinds.jumpSlot, symbol: 2),
            ], packed: [0x9000])
        #expect(apart.error == .unmapped(.relocations, address: 0x9000))
        #expect(
            apart.error { $0.packed = [] }
                == .mismatch(
                    .relocations, expected: "a slot for calls at 0x3508", found: "the next one at 0x3504"))
    }

    @Test func `as many relative relocations as announced stand at the start`() {
        let relative = one(kinds.relative, addend: 0x40)
        let other = RawLibrary.Relocation(place: 0x3600, kind: kinds.absolute, symbol: 1)
        #expect(error(relative, other) { $0.entries = [(.relaCount, 1)] } == nil)
        #expect(error(other, relative) { $0.entries = [(.relaCount, 0)] } == nil)
        #expect(error(other, relative) == nil)
        #expect(error(relative) { $0.entries = [(.relaCount, 1)] } == nil)
        #expect(
            error(relative) { $0.entries = [(.relaCount, 2)] }
                == .excessive(.relocations, limit: 1, found: 2))
        #expect(
            error(relative, other) { $0.entries = [(.relaCount, 2)] }
                == .mismatch(
                    .relocations, expected: "2 relative ones at the start",
                    found: "one of kind \(kinds.absolute) after 1"))
        let functions = RawLibrary(
            functions: [one(kinds.jumpSlot, symbol: 1)], entries: [(.relaCount, 1)])
        #expect(functions.error == nil)
    }

    @Test func `an entry of kind 0 has nothing, and no function has one`() {
        let empty = RawLibrary.Relocation(place: 0, kind: 0)
        #expect(error(empty) == nil)
        #expect(error(empty, one(kinds.relative, addend: 0x40)) == nil)
        func refused(_ place: UInt64) -> ELFError {
            .mismatch(
                .relocations, expected: "nothing in an entry of kind 0",
                found: "the place 0x\(String(place, radix: 16))")
        }
        #expect(error(.init(place: 1, kind: 0)) == refused(1))
        #expect(error(.init(place: 0, kind: 0, symbol: 1)) == refused(0))
        #expect(error(.init(place: 0, kind: 0, addend: 1)) == refused(0))
        #expect(functionError(empty) == refused(0))
    }

    // MARK: - Places

    @Test func `a place is eight bytes in the library`() {
        for place in [0x3000, 0x47f8, 0x1ff8] as [UInt64] {
            #expect(error(.init(place: place, kind: kinds.relative, addend: 0x40)) == nil)
        }
        for place in [0x2fff, 0x47f9, 0x1ff9, .max] as [UInt64] {
            #expect(
                error(.init(place: place, kind: kinds.relative, addend: 0x40))
                    == .unmapped(.relocations, address: place))
        }
    }

    @Test func `two places are eight bytes apart, in whatever order they stand`() {
        func pair(_ first: UInt64, _ second: UInt64) -> ELFError? {
            error(
                .init(place: first, kind: kinds.relative, addend: 0x40),
                .init(place: second, kind: kinds.relative, addend: 0x40))
        }
        #expect(pair(0x3500, 0x3508) == nil)
        #expect(pair(0x3508, 0x3500) == nil)
        let overlap = ELFError.mismatch(
            .relocations, expected: "each place once", found: "0x3500 and 0x3507, which overlap")
        #expect(pair(0x3500, 0x3507) == overlap)
        #expect(pair(0x3507, 0x3500) == overlap)
        #expect(
            pair(0x3500, 0x3500)
                == .mismatch(.relocations, expected: "each place once", found: "0x3500 twice"))
    }

    @Test func `no place lies in the dynamic section`() {
        func at(_ place: UInt64) -> ELFError? {
            error(.init(place: place, kind: kinds.relative, addend: 0x40))
        }
        for place in [0x3100, 0x32ff] as [UInt64] {
            #expect(
                at(place)
                    == .mismatch(
                        .relocations, expected: "places that the loader may write to",
                        found: "0x\(String(place, radix: 16)) in the dynamic section"))
        }
        #expect(at(0x30f8) == nil)
        #expect(at(0x3300) == nil)
    }

    @Test func `slots for calls follow each other, a descriptor taking two words`() {
        func slots(_ first: UInt32, _ second: UInt64) -> ELFError? {
            functionError(
                .init(place: second, kind: kinds.jumpSlot, symbol: 1),
                .init(place: 0x3500, kind: first, symbol: first == kinds.jumpSlot ? 2 : 0),
                symbols: [.init(), .init()])
        }
        func expected(_ place: UInt64, _ found: UInt64) -> ELFError {
            .mismatch(
                .relocations, expected: "a slot for calls at 0x\(String(place, radix: 16))",
                found: "the next one at 0x\(String(found, radix: 16))")
        }
        #expect(slots(kinds.jumpSlot, 0x3508) == nil)
        #expect(slots(kinds.jumpSlot, 0x3510) == expected(0x3508, 0x3510))
        #expect(slots(kinds.storageDescriptor, 0x3510) == nil)
        #expect(slots(kinds.storageDescriptor, 0x3508) == expected(0x3510, 0x3508))
    }

    // MARK: - Symbols

    @Test func `a symbol is one of the table`() {
        #expect(error(one(kinds.absolute, symbol: 1)) == nil)
        #expect(
            error(one(kinds.absolute, symbol: 2)) == .excessive(.relocations, limit: 1, found: 2))
        #expect(
            error(one(kinds.absolute, symbol: .max))
                == .excessive(.relocations, limit: 1, found: UInt64(UInt32.max)))
    }

    @Test func `where the hash table knows no symbol, those that others define are not looked for`() {
        // The GNU linker counts only what a library exports.
        #expect(error(one(kinds.absolute, symbol: 5)) { $0.symbols = [] } == nil)
        let none = one(kinds.absolute)
        #expect(
            error(none) { $0.symbols = [] }
                == refused(
                    none, "an address of a symbol in the library, or near the beginning of one elsewhere"))
    }

    // MARK: - Kinds

    @Test func `a relative one has no symbol and an address in the library, but none in its header`() {
        let accepted: [UInt64] = [
            0, 64, 0x2000, 0x3000, 0x4800, 0x1000_0000_0000_0040, 0xf000_0000_0000_0040,
        ]
        for addend in accepted {
            #expect(error(one(kinds.relative, addend: addend)) == nil, "\(addend)")
        }
        let expected = "a relative one without symbol, by an address in the library"
        for addend in [1, 2, 63, 0x2001, 0x2fff, 0x4801, 0x0800_0000_0000_0040, 0xf000_0000_0000_0001]
            as [UInt64]
        {
            let relocation = one(kinds.relative, addend: addend)
            #expect(error(relocation) == refused(relocation, expected))
        }
        let named = one(kinds.relative, symbol: 1, addend: 0x40)
        #expect(error(named) == refused(named, expected))
        let function = one(kinds.relative, addend: 0x40)
        #expect(
            functionError(function)
                == refused(function, "slots for calls among the functions' relocations"))
    }

    @Test func `an indirect one has no symbol and an address in code`() {
        #expect(error(one(kinds.indirect, addend: 0x1fff)) == nil)
        #expect(functionError(one(kinds.indirect, addend: 0)) == nil)
        for relocation in [
            one(kinds.indirect, addend: 0x2000), one(kinds.indirect, addend: 0x3000),
            one(kinds.indirect, symbol: 1, addend: 0x1800),
        ] {
            #expect(
                error(relocation)
                    == refused(relocation, "an indirect one without symbol, by an address in code"))
        }
    }

    @Test func `a slot for calls is of a function in code or elsewhere, and adds nothing`() {
        let slot = one(kinds.jumpSlot, symbol: 1)
        let accepted: [RawLibrary.Symbol] = [
            .init(), .init(kind: 0), .init(kind: 10), .init(value: 1), .init(kind: 0, value: 0x1fff),
            .init(section: 0, value: 0), .init(kind: 0, section: 0, value: 0),
        ]
        for symbol in accepted { #expect(functionError(slot, symbols: [symbol]) == nil, "\(symbol)") }
        let expected = "one slot for calls of each function, and nothing added"
        let others: [RawLibrary.Symbol] = [
            .init(kind: 1), .init(kind: 0, value: 0x3000), .init(value: 0), .init(kind: 0, value: 0x2000),
            .init(kind: 1, section: 0, value: 0),
        ]
        for symbol in others {
            #expect(functionError(slot, symbols: [symbol]) == refused(slot, expected), "\(symbol)")
        }
        let added = one(kinds.jumpSlot, symbol: 1, addend: 1)
        #expect(functionError(added) == refused(added, expected))
        let unnamed = one(kinds.jumpSlot)
        #expect(functionError(unnamed) == refused(unnamed, expected))
        let second = RawLibrary.Relocation(place: 0x3508, kind: kinds.jumpSlot, symbol: 1)
        #expect(functionError(slot, second) == refused(second, expected))
    }

    @Test func `a slot for an address is of one symbol, and adds nothing`() {
        let slot = one(kinds.address, symbol: 1)
        let accepted: [RawLibrary.Symbol] = [
            .init(), .init(kind: 1, value: 1), .init(kind: 1, value: 0x4800),
            .init(kind: 1, section: 0, value: 0), .init(kind: 1, section: 0xfff1, value: 0x7fff_0000),
        ]
        for symbol in accepted { #expect(error(slot, symbol: symbol) == nil, "\(symbol)") }
        let expected = "one slot for the address of each symbol, and nothing added"
        for symbol in [
            .init(kind: 1, value: 0), .init(kind: 1, value: 0x4801), .init(kind: 6, value: 0),
            .init(kind: 6, section: 0, value: 0), .init(kind: 1, value: 0x2fff),
        ] as [RawLibrary.Symbol] {
            #expect(error(slot, symbol: symbol) == refused(slot, expected), "\(symbol)")
        }
        let added = one(kinds.address, symbol: 1, addend: 1)
        #expect(error(added) == refused(added, expected))
        let unnamed = one(kinds.address)
        #expect(error(unnamed) == refused(unnamed, expected))
        let second = RawLibrary.Relocation(place: 0x3600, kind: kinds.address, symbol: 1)
        #expect(error(slot, second) == refused(second, expected))
        #expect(functionError(slot) == refused(slot, "a kind that linkers write into libraries"))
    }

    @Test func `an address of a symbol lies in the library, or less than 64 KiB into one elsewhere`() {
        let expected = "an address of a symbol in the library, or near the beginning of one elsewhere"
        let elsewhere = RawLibrary.Symbol(kind: 1, section: 0, value: 0)
        let own = RawLibrary.Symbol(kind: 1, value: 0x3000)
        let number = RawLibrary.Symbol(kind: 1, section: 0xfff1, value: 0x7fff_0000)
        let local = RawLibrary.Symbol(kind: 6, value: 0)
        let cases: [(RawLibrary.Symbol, UInt64, Bool)] = [
            (elsewhere, 0, true), (elsewhere, 65_535, true), (elsewhere, 65_536, false),
            (own, 0x1800, true), (own, 0x1801, false), (own, UInt64.max, false), (own, 0 &- 0x1000, true),
            (number, 1 << 40, true), (local, 0, false),
        ]
        for (symbol, addend, isAccepted) in cases {
            let relocation = one(kinds.absolute, symbol: 1, addend: addend)
            let found = error(relocation, symbol: symbol)
            #expect(found == (isAccepted ? nil : refused(relocation, expected)), "\(symbol), \(addend)")
        }
        let function = one(kinds.absolute, symbol: 1)
        #expect(functionError(function) == refused(function, "a kind that linkers write into libraries"))
    }

    @Test func `thread-local places lie in the storage of this library, or in one elsewhere`() {
        let expected = "a symbol or place in the thread-local storage"
        let own = RawLibrary.Symbol(kind: 6, value: 8, size: 8)
        let elsewhere = RawLibrary.Symbol(kind: 6, section: 0, value: 0)
        let unspecified = RawLibrary.Symbol(kind: 0, section: 0, value: 0)
        let section = RawLibrary.Symbol(kind: 3, value: 0)
        let foreignSection = RawLibrary.Symbol(kind: 3, section: 0, value: 0)
        let function = RawLibrary.Symbol()
        let offsets = [kinds.storageOffset, kinds.storagePlace, kinds.storageDescriptor]
        for kind in offsets {
            for (symbol, addend, isAccepted) in [
                (own, 24, true), (own, 25, false), (elsewhere, 1 << 40, true), (unspecified, 9, true),
                (section, 0, false), (function, 0, false),
            ] as [(RawLibrary.Symbol, UInt64, Bool)] {
                let relocation = one(kind, symbol: 1, addend: addend)
                let found = error(relocation, symbol: symbol)
                #expect(found == (isAccepted ? nil : refused(relocation, expected)), "\(symbol), \(addend)")
            }
            #expect(error(one(kind, addend: 32)) == nil)
            #expect(error(one(kind, addend: 33)) == refused(one(kind, addend: 33), expected))
        }
        let module = kinds.storageModule
        for (symbol, isAccepted) in [
            (own, true), (section, true), (elsewhere, true), (foreignSection, false), (function, false),
        ] {
            let relocation = one(module, symbol: 1, addend: 99)
            let found = error(relocation, symbol: symbol)
            #expect(found == (isAccepted ? nil : refused(relocation, expected)), "\(symbol)")
        }
        let nowhere = one(module)
        #expect(error(nowhere) == nil)
        #expect(error(nowhere) { $0.storage.kind = 0x6fff_0000 } == refused(nowhere, expected))
    }

    @Test func `of thread-local kinds the functions' relocations have only descriptors`() {
        #expect(functionError(one(kinds.storageDescriptor)) == nil)
        for kind in [kinds.storageModule, kinds.storageOffset, kinds.storagePlace] {
            #expect(
                functionError(one(kind))
                    == refused(one(kind), "a symbol or place in the thread-local storage"))
        }
    }

    // MARK: - Packed relocations

    @Test func `a packed word is a place, or has a bit for each of the 63 places after the last`() {
        /// What is said of packed words, with another relocation at a place that overlaps with one of theirs.
        func overlap(_ packed: [UInt64], with other: UInt64) -> ELFError? {
            RawLibrary(
                relocations: [.init(place: other, kind: kinds.relative, addend: 0x40)], packed: packed
            ).error
        }
        func overlapping(_ first: UInt64, _ second: UInt64) -> ELFError {
            .mismatch(
                .relocations, expected: "each place once",
                found:
                    "0x\(String(first, radix: 16)) and 0x\(String(second, radix: 16)), which overlap")
        }
        #expect(overlap([0x3600], with: 0x35ff) == overlapping(0x35ff, 0x3600))
        #expect(overlap([0x3600, 0b11], with: 0x360f) == overlapping(0x3608, 0x360f))
        #expect(overlap([0x3600, 0b101], with: 0x3608) == nil)
        #expect(overlap([0x3600, 0b101], with: 0x3617) == overlapping(0x3610, 0x3617))
        let last: UInt64 = 0x3608 + 62 * 8
        #expect(overlap([0x3600, 1 << 63 | 1], with: last - 7) == overlapping(last - 7, last))
        #expect(overlap([0x3600, 1, 0b11], with: last + 1) == overlapping(last + 1, last + 8))
        #expect(overlap([0x3600, 1, 0b11], with: last + 15) == overlapping(last + 8, last + 15))
        #expect(overlap([0x3600, 1, 0x3900, 0b11], with: 0x390f) == overlapping(0x3908, 0x390f))
    }

    @Test func `packed places lie in the library`() {
        #expect(RawLibrary(packed: [0x47f0, 0b11]).error == nil)
        #expect(RawLibrary(packed: [0x47fa]).error == .unmapped(.relocations, address: 0x47fa))
        #expect(RawLibrary(packed: [0x47f0, 0b101]).error == .unmapped(.relocations, address: 0x4800))
    }

    @Test func `packed words are read as far as they are whole`() {
        for (size, isBad) in [(8, true), (7, false), (15, true), (0, false)] as [(UInt64, Bool)] {
            let found = RawLibrary(packed: [0x9000], entries: [(.relrSize, size)]).error
            #expect((found != nil) == isBad, "\(size)")
        }
        for (size, isBad) in [(16, true), (15, false)] as [(UInt64, Bool)] {
            let found = RawLibrary(packed: [0x3600, 0x9000], entries: [(.relrSize, size)]).error
            #expect((found != nil) == isBad, "\(size)")
        }
        #expect(RawLibrary(packed: [0x9000]).error { $0.missing = [.relr] } == nil)
        // Of what is no whole word nobody reads where it lies.
        for (size, isBad) in [(7, false), (8, true)] as [(UInt64, Bool)] {
            let found = RawLibrary(packed: [0x3600], entries: [(.relr, 0x47f_0000), (.relrSize, size)]).error
            #expect((found != nil) == isBad, "\(size)")
        }
    }
}
