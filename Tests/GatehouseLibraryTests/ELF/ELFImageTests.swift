// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct ELFImageTests {
    @Test func `the header names machine and type`() throws {
        let image = try ELFImage(reading: ELFBuilder.complete.bytes())
        #expect(image.header.type == .sharedObject)
        #expect(image.header.machine == .x86_64)
    }

    @Test(
        arguments: [
            (3, "i386"), (21, "powerpc64"), (22, "s390x"), (40, "arm"), (62, "x86_64"), (183, "aarch64"),
            (243, "riscv64"), (258, "loongarch64"), (9_999, "machine 0x270f"),
        ] as [(UInt16, String)])
    func `a machine is named as in a target triple`(number: UInt16, name: String) throws {
        var builder = ELFBuilder.complete
        builder.machine = number
        #expect(try ELFImage(reading: builder.bytes()).header.machine.description == name)
    }

    @Test(
        arguments: [
            (1, "an object file"), (2, "an executable"), (3, "a shared object"), (4, "a core dump"),
            (0xfe00, "a file of type 0xfe00"),
        ] as [(UInt16, String)])
    func `a type is named in words`(number: UInt16, name: String) throws {
        var builder = ELFBuilder.complete
        builder.type = number
        #expect(try ELFImage(reading: builder.bytes()).header.type.description == name)
    }

    @Test func `the dynamic section lists needs, own name and search paths`() throws {
        let section = try #require(try ELFImage(reading: ELFBuilder.complete.bytes()).dynamic)
        #expect(section.needed == ["libGatehouseSDK.so", "libc.so.6"])
        #expect(section.soname == "libGreeter.so")
        #expect(section.rpath == ["/opt/lib"])
        #expect(section.runpath == ["$ORIGIN", "/usr/lib"])
    }

    @Test func `an empty member of a search path is kept`() throws {
        let section = try #require(try ELFImage(reading: ELFBuilder(runpath: "/a::/b").bytes()).dynamic)
        #expect(section.runpath == ["/a", "", "/b"])
    }

    @Test(arguments: [ELFBuilder.Hash.sysV, .gnu])
    func `either hash table tells the number of symbols`(hash: ELFBuilder.Hash) throws {
        var builder = ELFBuilder.complete
        builder.hash = hash
        let image = try ELFImage(reading: builder.bytes())
        #expect(image.undefinedNames == ["malloc", "__gmon_start__"])
        #expect(image.definedNames == ["gatehouse_plugin_v1_Greeter", "version"])
        #expect(image.symbols.filter(\.isWeak).map(\.name) == ["__gmon_start__", "version"])
    }

    @Test(arguments: [ELFBuilder.Hash.sysV, .gnu])
    func `a library may import everything and export nothing`(hash: ELFBuilder.Hash) throws {
        let builder = ELFBuilder(symbols: [.init(name: "malloc", isDefined: false)], hash: hash)
        let image = try ELFImage(reading: builder.bytes())
        #expect(image.undefinedNames == ["malloc"])
        #expect(image.definedNames == [])
    }

    @Test(arguments: [4, 8] as [UInt64])
    func `notes are padded as their segment is aligned`(alignment: UInt64) throws {
        var builder = ELFBuilder.complete
        builder.noteAlignment = alignment
        let image = try ELFImage(reading: builder.bytes())
        #expect(image.notes.map(\.owner) == ["GNU", "gatehouse"])
        #expect(image.notes.map(\.type) == [3, 1])
        #expect(image.notes.map(\.content) == [[1, 2, 3], Array("{}      ".utf8)])
        #expect(image.notes(ownedBy: "gatehouse") == [image.notes[1]])
    }

    @Test func `a file without a dynamic section has neither needs nor symbols`() throws {
        let image = try ELFImage(reading: ELFBuilder(isDynamic: false).bytes())
        #expect(image.dynamic == nil)
        #expect(image.symbols == [])
    }

    @Test func `the running test is itself readable`() throws {
        let bytes = try OwnExecutable.bytes()
        let image = try ELFImage(reading: bytes)
        #expect(image.header.machine == ELFMachine.current)
        #expect(image.dynamic?.needed.contains("libGatehouseSDK.so") == true)
        #expect(image.undefinedNames.contains { $0.hasPrefix("$s") })
        #expect(image.notes.contains { $0.owner == "GNU" })
    }

    @Test func `the bytes of a loaded segment are in the file, and those of others need not be`() {
        let part = RawLibrary.Segment(
            kind: 1, offset: 0x3000, address: 0x9000, fileSize: 0x801, memorySize: 0x801)
        #expect(
            RawLibrary(others: [part]).error
                == .truncated(.loadedSegment, offset: 0x3000, expected: 0x801, found: 0x800))
        #expect(RawLibrary(others: [part]).error { $0.others[0].fileSize = 0x800 } == nil)
        #expect(RawLibrary(others: [part]).error { $0.others[0].kind = 9 } == nil)
        #expect(
            RawLibrary(others: [part]).error { ($0.others[0].offset, $0.others[0].fileSize) = (0x3801, 0) }
                == nil)
    }

    @Test func `the table of sections is in the file, if there is any`() {
        let most = UInt16((RawLibrary.size - RawLibrary.sectionTable) / 64)
        let library = RawLibrary(symbols: [.init(section: 0, value: 0)])
        #expect(library.error { $0.numbers16 = [(60, most)] } == nil)
        #expect(
            library.error { $0.numbers16 = [(60, most + 1)] }
                == .truncated(
                    .sectionHeaders, offset: RawLibrary.sectionTable, expected: 64 * UInt64(most) + 64,
                    found: 0x800))
        #expect(library.error { $0.numbers16 = [(60, 0), (40, 0xffff)] } == nil)
        #expect(
            library.error { $0.numbers16 = [(60, 1), (40, 0xffff)] }
                == .truncated(.sectionHeaders, offset: 0xffff, expected: 64, found: 0))
    }

    @Test func `only what the loader links is looked at closely, part by part`() {
        // Each part is damaged, in the order in which they are looked at.
        let damages: [(inout RawLibrary) -> Void] = [
            { $0.storage.alignment = 3 }, { $0.symbols = [.init(section: 0, value: 1)] },
            { $0.packed = [0x9000] }, { $0.sections = [.init(address: 0x9000, size: 1)] },
        ]
        let parts: [ELFPart] = [.threadLocal, .symbolTable, .relocations, .sectionHeaders]
        for (index, part) in parts.enumerated() {
            var library = RawLibrary()
            for damage in damages[index...] { damage(&library) }
            let found: ELFPart? =
                switch library.error {
                case .mismatch(let part, _, _), .unmapped(let part, _): part
                default: nil
                }
            #expect(found == part)
            library.numbers16 = [(16, 2)]
            #expect(library.error == nil)
        }
    }

    @Test func `a program has no hazards`() throws {
        let library = RawLibrary(entries: [(.textRel, 0)])
        #expect(try ELFImage(reading: library.bytes).hazards.count == 1)
        var program = library
        program.numbers16 = [(16, 2)]
        #expect(try ELFImage(reading: program.bytes).hazards == [])
    }
}
