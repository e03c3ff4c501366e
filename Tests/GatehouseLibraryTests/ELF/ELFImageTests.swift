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
}
