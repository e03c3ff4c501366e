// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseLibraryTesting
import Testing

@testable import GatehouseLibrary

/// What a file says twice, or what only an action would come to, must fit together.
@Suite(.enabled(if: Workshop.compiler != nil, "needs clang or gcc"), .timeLimit(.minutes(10)))
struct ELFMismatchTests {
    /// A library with some of everything that the loader goes through.
    private static let sound = Result {
        let folder = try TemporaryFolder()
        let source = """
            #include <stdio.h>
            #include <stdlib.h>
            static __thread int counted = 7;
            static int numbers[4000] = {1};
            static const char *words[] = {"one", "two"};
            extern int somewhere;
            int *place = &somewhere;
            __attribute__((constructor)) static void first(void) { numbers[0] = counted; }
            int answer(int index) { puts(words[index & 1]); return abs(numbers[index & 3]) + counted++; }
            """
        #expect(try Workshop.build("libsound.so", of: source, in: folder, ["-Wl,-z,now"]) == nil)
        return try FixtureLibrary(reading: folder("libsound.so"), module: "None")
    }

    /// One change of a sound library, and what is said of it.
    struct Damage: Sendable, CustomTestStringConvertible {
        /// What is changed.
        let testDescription: String
        /// Changes it; gives how the sentence about it begins.
        let make: @Sendable (inout FixtureLibrary) throws -> String

        init(_ name: String, make: @escaping @Sendable (inout FixtureLibrary) throws -> String) {
            testDescription = name
            self.make = make
        }
    }

    @Test func `a sound library is read`() throws {
        let library = try Self.sound.get()
        #expect(try ELFImage(reading: library.bytes).hazards == [])
    }

    @Test(arguments: threadLocal + tables + symbols + sections)
    func `parts that contradict each other are refused`(damage: Damage) throws {
        var library = try Self.sound.get()
        let sentence = try damage.make(&library)
        let error = try #require(throws: ELFError.self) { try ELFImage(reading: library.bytes) }
        #expect(error.description.hasPrefix(sentence), "\(error)")
        #expect(error.description.contains("the file is damaged"))
    }

    @Test func `a function may begin with the last byte of the code, and not after it`() throws {
        var library = try Self.sound.get()
        let kind = try #require(ELFMachine.current.flatMap(RelocationKinds.init(of:))).indirect
        let table = Int(library.number(at: try library.dynamicEntry(.jmpRel) + 8))
        let code = try library.segment(allowing: 1)
        let end = library.number(at: code + 16) + library.number(at: code + 40)
        library.write(kind, at: table + 8)
        library.write(UInt32(0), at: table + 12)
        library.write(end - 1, at: table + 16)
        #expect(throws: Never.self) { try ELFImage(reading: library.bytes) }
        library.write(end, at: table + 16)
        let error = try #require(throws: ELFError.self) { try ELFImage(reading: library.bytes) }
        #expect(
            error.description.hasPrefix(
                "the relocations: expected an indirect one without symbol, by an address in code, found kind \(kind), symbol 0 and 0x\(String(end, radix: 16)) at "
            ), "\(error)")
    }

    // MARK: - Thread-local storage

    private static let threadLocal = [
        Damage("more thread-local bytes in the file than in memory") { library in
            let header = try library.programHeader(7)
            library.write(library.number(at: header + 40) + 1, at: header + 32)
            return "the thread-local storage: expected at most 4 bytes of the file, found 5; "
        },
        Damage("4 GB of thread-local storage") { library in
            library.write(UInt64(4) << 30, at: try library.programHeader(7) + 40)
            return "the thread-local storage: expected at most 16777216, found 4294967296; "
        },
        Damage("an alignment that is none") { library in
            library.write(UInt64(6), at: try library.programHeader(7) + 48)
            return "the thread-local storage: expected an alignment that is a power of two, found 6; "
        },
        Damage("an alignment of 2^40") { library in
            library.write(UInt64(1) << 40, at: try library.programHeader(7) + 48)
            return "the thread-local storage: expected at most 1048576, found 1099511627776; "
        },
        Damage("thread-local storage outside the library") { library in
            library.write(UInt64(0x7fff_0000), at: try library.programHeader(7) + 16)
            return
                "the thread-local storage: expected an address inside a loaded segment, found 0x7fff0000; "
        },
        Damage("thread-local storage of another type") { library in
            library.write(UInt32(0x6fff_0000), at: try library.programHeader(7))
            return "the relocations: expected a symbol or place in the thread-local storage, found kind "
        },
    ]

    // MARK: - Relocations

    private static let tables = [
        Damage("relocations of another size") { library in
            try library.setDynamic(.relaEntry, to: 16)
            return "the relocations: expected entries of 24 bytes, found entries of 16; "
        },
        Damage("functions' relocations of another kind") { library in
            try library.setDynamic(.pltRel, to: 17)
            return "the relocations: expected functions' relocations of kind 7, found 17; "
        },
        Damage("more relative relocations than there are") { library in
            let count = library.number(at: try library.dynamicEntry(.relaCount) + 8)
            try library.setDynamic(.relaCount, to: count + 1)
            return "the relocations: expected \(count + 1) relative ones at the start, found one of kind "
        },
        Damage("a pointer that is not made") { library in
            let table = Int(library.number(at: try library.dynamicEntry(.rela) + 8))
            let place = library.number(at: table)
            library.write(UInt32(0), at: table + 8)
            try library.setDynamic(.relaCount, to: 0)
            return
                "the relocations: expected nothing in an entry of kind 0, found the place 0x\(String(place, radix: 16)); "
        },
        Damage("a pointer to outside of the library") { library in
            let table = Int(library.number(at: try library.dynamicEntry(.rela) + 8))
            library.write(UInt64(0x7fff_0000), at: table + 16)
            return
                "the relocations: expected a relative one without symbol, by an address in the library, found kind 8, symbol 0 and 0x7fff0000 at "
        },
        Damage("one place twice") { library in
            let table = Int(library.number(at: try library.dynamicEntry(.rela) + 8))
            let place = library.number(at: table)
            library.write(place, at: table + 24)
            return "the relocations: expected each place once, found 0x\(String(place, radix: 16)) twice; "
        },
        Damage("places that overlap") { library in
            let table = Int(library.number(at: try library.dynamicEntry(.rela) + 8))
            let place = library.number(at: table)
            library.write(place + 4, at: table + 24)
            let (one, other) = (String(place, radix: 16), String(place + 4, radix: 16))
            return
                "the relocations: expected each place once, found 0x\(one) and 0x\(other), which overlap; "
        },
        Damage("two slots for one function") { library in
            let table = Int(library.number(at: try library.dynamicEntry(.jmpRel) + 8))
            library.write(library.number(UInt32.self, at: table + 12), at: table + 24 + 12)
            return
                "the relocations: expected one slot for calls of each function, and nothing added, found kind 7, "
        },
        Damage("calls of a number") { library in
            let table = Int(library.number(at: try library.dynamicEntry(.jmpRel) + 8))
            library.write(UInt32(0), at: table + 12)
            return
                "the relocations: expected one slot for calls of each function, and nothing added, found kind 7, symbol 0 "
        },
        Damage("functions' relocations without their kind") { library in
            library.write(UInt64(0x0ea6_7a44), at: try library.dynamicEntry(.pltRel))
            return
                "the relocations: expected the kind and the size of the functions' relocations, found neither or one of them; "
        },
        Damage("a pointer into the file's header") { library in
            let table = Int(library.number(at: try library.dynamicEntry(.rela) + 8))
            library.write(UInt64(15), at: table + 16)
            return
                "the relocations: expected a relative one without symbol, by an address in the library, found kind 8, symbol 0 and 0xf at "
        },
        Damage("an address far from what another library defines") { library in
            let table = Int(library.number(at: try library.dynamicEntry(.rela) + 8))
            let size = Int(library.number(at: try library.dynamicEntry(.relaSize) + 8))
            let entry = try #require(
                stride(from: table, to: table + size, by: 24)
                    .first { library.number(UInt32.self, at: $0 + 8) == 1 })
            library.write(UInt64(1) << 16, at: entry + 16)
            return
                "the relocations: expected an address of a symbol in the library, or near the beginning of one elsewhere, found kind 1, "
        },
        Damage("a slot for calls apart from the others") { library in
            let table = Int(library.number(at: try library.dynamicEntry(.jmpRel) + 8))
            let place = library.number(at: table)
            library.write(place - 0x40, at: table)
            return
                "the relocations: expected a slot for calls at 0x\(String(place - 0x38, radix: 16)), found "
        },
        Damage("an address in the dynamic section") { library in
            let table = Int(library.number(at: try library.dynamicEntry(.rela) + 8))
            let place = library.number(at: try library.programHeader(2) + 16) + 8
            library.write(place, at: table)
            return
                "the relocations: expected places that the loader may write to, found 0x\(String(place, radix: 16)) in the dynamic section; "
        },
        Damage("a kind that no linker writes") { library in
            let table = Int(library.number(at: try library.dynamicEntry(.jmpRel) + 8))
            library.write(UInt32(15), at: table + 8)
            return "the relocations: expected a kind that linkers write into libraries, found kind 15, "
        },
        Damage("functions' relocations among the others") { library in
            let start = library.number(at: try library.dynamicEntry(.rela) + 8)
            let functions = library.number(at: try library.dynamicEntry(.jmpRel) + 8)
            let size = library.number(at: try library.dynamicEntry(.pltRelSize) + 8)
            try library.setDynamic(.relaSize, to: functions + size - start)
            return
                "the relocations: expected one slot for calls of each function, and nothing added, found kind 7, "
        },
        Damage("fewer functions' relocations than there are") { library in
            let size = library.number(at: try library.dynamicEntry(.pltRelSize) + 8)
            try library.setDynamic(.pltRelSize, to: size - 24)
            return "the section header table: expected "
        },
    ]

    // MARK: - Symbols

    private static let symbols = [
        Damage("a symbol of others that is local") { library in
            let entry = try library.symbol(isDefined: false)
            library.write(library.bytes[entry + 4] & 15, at: entry + 4)
            return "the dynamic symbol table: expected symbol "
        },
        Damage("a symbol of others that is hidden") { library in
            let entry = try library.symbol(isDefined: false)
            library.write(UInt8(2), at: entry + 5)
            return "the dynamic symbol table: expected symbol "
        },
        Damage("a symbol of others with a place") { library in
            let entry = try library.symbol(isDefined: false)
            library.write(UInt64(0x1000), at: entry + 8)
            return "the dynamic symbol table: expected symbol "
        },
        Damage("a function that is no code") { library in
            let entry = try library.symbol(isDefined: true, kind: 2)
            library.write(UInt64(0x7fff_0000), at: entry + 8)
            return "the dynamic symbol table: expected symbol "
        },
    ]

    // MARK: - Sections

    private static let sections = [
        Damage("data that is not mapped") { library in
            let segment = try library.segment(allowing: 2)
            library.write(library.number(at: segment + 32) / 2, at: segment + 32)
            return "the section header table: expected section "
        },
        Damage("data that is not written to") { library in
            library.write(UInt32(4), at: try library.segment(allowing: 2) + 4)
            return "the section header table: expected section "
        },
        Damage("data that is made read-only") { library in
            let part = try library.programHeader(0x6474_e552)
            library.write(library.number(at: part + 40) + 8_192, at: part + 40)
            return "the section header table: expected section "
        },
        Damage("fewer functions to run at the start") { library in
            try library.setDynamic(.initArraySize, to: 0)
            return "the section header table: expected section "
        },
        Damage("a first section that is longer than what is mapped") { library in
            library.write(UInt64(0x7fff_0000), at: Int(library.number(at: 40)) + 64 + 32)
            return
                "the section header table: expected section 1 inside a loaded segment, found 2147418112 bytes at "
        },
        Damage("a dynamic section that is to be run") { library in
            let (index, entry) = try library.section(6)
            library.write(library.number(at: entry + 8) | 4, at: entry + 8)
            return
                "the section header table: expected section \(index) in a segment that allows what it is for, found "
        },
    ]
}

extension FixtureLibrary {
    /// Where the program header of the first mapped part is that allows something: 1 to run, 2 to write.
    fileprivate func segment(allowing use: UInt32) throws -> Int {
        let headers = stride(from: 64, to: 64 + 56 * Int(number(UInt16.self, at: 56)), by: 56)
        return try #require(
            headers.first { number(UInt32.self, at: $0) == 1 && number(UInt32.self, at: $0 + 4) & use != 0 })
    }

    /// The first section of a kind: its index, and where its entry is.
    fileprivate func section(_ kind: UInt32) throws -> (index: Int, entry: Int) {
        let start = Int(number(at: 40))
        let index = try #require(
            (1..<Int(number(UInt16.self, at: 60))).first {
                number(UInt32.self, at: start + $0 * 64 + 4) == kind
            })
        return (index, start + index * 64)
    }

    /// Where the first symbol is that the library defines, or that others do.
    fileprivate func symbol(isDefined: Bool, kind: UInt8? = nil) throws -> Int {
        let start = Int(number(at: try dynamicEntry(.symTab) + 8))
        return try #require(
            stride(from: start + 24, to: start + 24 * 64, by: 24).first { entry in
                (number(UInt16.self, at: entry + 6) != 0) == isDefined
                    && kind.map { bytes[entry + 4] & 15 == $0 } ?? true
            })
    }
}
