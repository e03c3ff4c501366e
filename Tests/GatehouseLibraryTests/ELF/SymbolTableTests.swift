// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseLibrary

/// What symbols may be, to the byte.
@Suite(.timeLimit(.minutes(10))) struct SymbolTableTests {
    typealias Symbol = RawLibrary.Symbol

    /// What is said of symbols.
    private func error(
        _ symbols: Symbol..., change: (inout RawLibrary) -> Void = { _ in }
    ) -> ELFError? {
        RawLibrary(symbols: symbols).error(change)
    }

    @Test func `a symbol is what its fields say`() throws {
        let image = try ELFImage(
            reading: RawLibrary(symbols: [
                .init(name: 1, binding: 1, kind: 2),
                .init(name: 5, binding: 2, kind: 1, visibility: 3),
                .init(name: 0),
                .init(name: 11, binding: 10, kind: 0, visibility: 1),
                .init(name: 16, binding: 0, visibility: 0),
                .init(name: 1, visibility: 2),
                .init(name: 5, visibility: 6),
                .init(name: 11, binding: 9, visibility: 4, section: 0, value: 0),
            ]).bytes)
        let symbols = image.symbols
        #expect(symbols.map(\.name) == ["one", ".data", ".bss", ".other", "one", ".data", ".bss"])
        #expect(symbols.map(\.kind.rawValue) == [2, 1, 0, 2, 2, 2, 2])
        #expect(symbols.map(\.isWeak) == [false, true, false, false, false, false, false])
        #expect(symbols.map(\.isUnique) == [false, false, true, false, false, false, false])
        #expect(symbols.map(\.isExported) == [true, true, false, false, false, false, true])
        #expect(symbols.map(\.isDefined) == [true, true, true, true, true, true, false])
        #expect(image.definedNames == ["one", ".data", ".bss", ".other", "one", ".data"])
        #expect(image.undefinedNames == [".bss"])
    }

    @Test func `the first entry is none, whatever it says`() throws {
        let library = RawLibrary(numbers32: [(Int(RawLibrary.symbolTable), 1)])
        #expect(try ELFImage(reading: library.bytes).symbols.map(\.name) == ["one"])
        #expect(RawLibrary(symbols: []).error == nil)
    }

    @Test func `kinds have the numbers of the standard`() {
        let kinds: [DynamicSymbol.Kind] = [
            .unspecified, .variable, .function, .section, .threadLocal, .indirectFunction,
        ]
        #expect(kinds.map(\.rawValue) == [0, 1, 2, 3, 6, 10])
    }

    @Test func `an entry of another size is refused`() {
        for size in [0, 23, 25] as [UInt64] {
            #expect(
                error(.init()) { $0.entries = [(.symEntry, size)] }
                    == .entrySize(.symbolTable, expected: 24, found: size))
        }
        #expect(error(.init()) { $0.missing = [.symEntry] } == nil)
    }

    @Test func `as many symbols as the hash table counts are in the file`() {
        let room = RawLibrary.size - RawLibrary.symbolTable
        let most = room / 24
        let count = Int(RawLibrary.hash) + 4
        #expect(
            error(.init()) { $0.numbers32 = [(count, UInt32(most + 1))] }
                == .truncated(
                    .symbolTable, offset: RawLibrary.symbolTable, expected: (most + 1) * 24, found: room))
        let end = RawLibrary.Segment(
            kind: 1, permissions: 4, offset: 0x3000, address: 0x8000, fileSize: 0x800, memorySize: 0x800)
        for (address, isWhole) in [(0x87f8, true), (0x87f9, false)] as [(UInt64, Bool)] {
            let found = error(.init()) {
                $0.others = [end]
                $0.entries = [(.hash, address)]
            }
            #expect(
                found
                    == (isWhole
                        ? nil : .truncated(.hashTable, offset: address - 0x5000, expected: 8, found: 7)))
        }
        #expect(
            error(.init()) { $0.missing = [.hash] } == .missing(.hashTable, tag: "DT_HASH or DT_GNU_HASH"))
        #expect(
            error(.init()) {
                $0.numbers32 = [(count, .max)]
                $0.entries = [(.verSym, 0x9000)]
            }
                == .truncated(
                    .symbolTable, offset: RawLibrary.symbolTable, expected: UInt64(UInt32.max) * 24,
                    found: room))
    }

    @Test func `a symbol of others is global and visible, and has no place here`() {
        let sound = Symbol(section: 0, value: 0)
        #expect(error(sound) == nil)
        #expect(error(.init(), .init(visibility: 3, section: 0, value: 0)) == nil)
        func refused(_ found: String, index: Int = 1) -> ELFError {
            .mismatch(
                .symbolTable, expected: "symbol \(index), which others define, to be looked up",
                found: found)
        }
        #expect(error(.init(binding: 0, section: 0, value: 0)) == refused("a local or hidden one"))
        for visibility in [1, 2] as [UInt8] {
            #expect(
                error(sound, .init(visibility: visibility, section: 0, value: 0))
                    == refused("a local or hidden one", index: 2))
        }
        #expect(error(.init(section: 0, value: 1)) == refused("one at 0x1"))
    }

    @Test func `a symbol is in a section that the file has, if it tells of any`() {
        let sections = [RawLibrary.Section(kind: 0), .init(kind: 0)]
        for section in [1, 2] as [UInt16] {
            #expect(error(.init(section: section)) { $0.sections = sections } == nil)
        }
        #expect(
            error(.init(section: 3)) { $0.sections = sections }
                == .excessive(.symbolTable, limit: 2, found: 3))
        #expect(
            error(.init(section: 0xfeff)) { $0.sections = sections }
                == .excessive(.symbolTable, limit: 2, found: 0xfeff))
        #expect(error(.init(section: 0xfeff)) == nil)
        // From 0xff00 on a section is a number with a meaning, and the value is no address.
        #expect(error(.init(section: 0xff00, value: 0x9000)) { $0.sections = sections } == nil)
        #expect(
            error(.init(section: 1)) { $0.numbers16 = [(60, 1)] }
                == .excessive(.symbolTable, limit: 0, found: 1))
    }

    @Test func `a function lies in code, if only with its first byte`() {
        func refused(_ symbol: Symbol) -> ELFError {
            .mismatch(
                .symbolTable, expected: "symbol 1 inside code",
                found: "it at 0x\(String(symbol.value, radix: 16)) with \(symbol.size) bytes")
        }
        for kind in [2, 10] as [UInt8] {
            for (value, size) in [(0x1fff, 0), (0x1fff, 1), (0, 0x2000)] as [(UInt64, UInt64)] {
                #expect(error(.init(kind: kind, value: value, size: size)) == nil)
            }
            for (value, size) in [
                (0x2000, 0), (0x1fff, 2), (0, 0x2001), (0x3000, 8), (.max, 1),
            ] as [(UInt64, UInt64)] {
                let symbol = Symbol(kind: kind, value: value, size: size)
                #expect(error(symbol) == refused(symbol))
            }
        }
        for kind in [0, 1, 3, 9, 11] as [UInt8] {
            #expect(error(.init(kind: kind, value: 0x9000, size: 8)) == nil)
        }
    }

    @Test func `a thread-local variable lies in the storage`() {
        func refused(_ symbol: Symbol) -> ELFError {
            .mismatch(
                .symbolTable, expected: "symbol 1 inside the thread-local storage",
                found: "it at 0x\(String(symbol.value, radix: 16)) with \(symbol.size) bytes")
        }
        for (value, size) in [(0, 32), (31, 1), (32, 0)] as [(UInt64, UInt64)] {
            #expect(error(.init(kind: 6, value: value, size: size)) == nil)
        }
        for (value, size) in [(0, 33), (31, 2), (33, 0), (.max, 1)] as [(UInt64, UInt64)] {
            let symbol = Symbol(kind: 6, value: value, size: size)
            #expect(error(symbol) == refused(symbol))
        }
        let one = Symbol(kind: 6, value: 0, size: 0)
        #expect(error(one) { $0.storage.kind = 0x6fff_0000 } == refused(one))
        // Of two, the last counts.
        let last = Symbol(kind: 6, value: 40, size: 8)
        #expect(error(last) { $0.others = [.init(kind: 7, address: 0x3400, memorySize: 48)] } == nil)
    }
}
