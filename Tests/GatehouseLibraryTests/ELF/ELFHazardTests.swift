// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct ELFHazardTests {
    /// The hazards of a changed library, in words.
    private func hazards(_ change: (inout RawLibrary) -> Void) throws -> [String] {
        var library = RawLibrary()
        change(&library)
        return try ELFImage(reading: library.bytes).hazards.map(\.description)
    }

    @Test func `a sound library has none`() throws { #expect(try hazards { _ in } == []) }

    @Test func `names for the whole process are counted`() throws {
        let advice = "compile everything in the library with -fno-gnu-unique"
        func sentence(_ names: String) -> String {
            "the dynamic symbol table: has \(names) as one for the whole process (STB_GNU_UNIQUE), which another library may already be; \(advice)"
        }
        let unique = RawLibrary.Symbol(binding: 10, kind: 1)
        let more = RawLibrary.Symbol(name: 5, binding: 10, kind: 1)
        let elsewhere = RawLibrary.Symbol(name: 5, binding: 10, kind: 1, section: 0, value: 0)
        #expect(try hazards { $0.symbols = [unique] } == [sentence("one")])
        #expect(try hazards { $0.symbols = [unique, more] } == [sentence("one and 1 more")])
        #expect(try hazards { $0.symbols = [unique, more, more] } == [sentence("one and 2 more")])
        #expect(try hazards { $0.symbols = [elsewhere] } == [])
    }

    @Test func `memory is not both written and run`() throws {
        let found = "memory at 0x3000 may be both written and run"
        let advice = "link the plugin without -z execstack, -N or a script that joins code and data"
        #expect(try hazards { $0.data.permissions = 7 } == ["a loaded segment: \(found); \(advice)"])
        #expect(try hazards { $0.storage.permissions = 7 } == [])
    }

    @Test func `a stack is not run, and not left to the loader`() throws {
        let sentence =
            "the stack: asks for memory that may be both written and run; link the plugin with -z noexecstack"
        #expect(try hazards { $0.stack.permissions = 7 } == [sentence])
        #expect(try hazards { $0.stack.permissions = 1 } == [sentence])
        #expect(try hazards { $0.stack.kind = 0x6fff_0000 } == [sentence])
        #expect(try hazards { $0.stack.permissions = 4 } == [])
    }

    @Test func `no library answers in its place`() throws {
        for (tag, name) in [(DynamicTag.auxiliary, "DT_AUXILIARY"), (.filter, "DT_FILTER")] {
            #expect(
                try hazards { $0.entries = [(tag, 1)] } == [
                    "the dynamic section: \(name) names a library that answers in this one's place; link the plugin without it"
                ])
        }
    }

    @Test func `relocations leave the code alone`() throws {
        let sentence = "the relocations: change the code itself; compile everything in the plugin with -fPIC"
        #expect(try hazards { $0.entries = [(.textRel, 0)] } == [sentence])
        for (flags, isRefused) in [(4, true), (7, true), (3, false), (8, false)] as [(UInt64, Bool)] {
            #expect(try hazards { $0.entries = [(.flags, flags)] } == (isRefused ? [sentence] : []))
        }
    }

    @Test func `the library may be loaded by a program`() throws {
        let sentence =
            "the dynamic section: says that the file must not be loaded by a program; build a dynamic library product"
        for flags in [0x40, 0x0800_0000, 0x0800_0041] as [UInt64] {
            #expect(try hazards { $0.entries = [(.flags1, flags)] } == [sentence])
        }
        #expect(try hazards { $0.entries = [(.flags1, 0x0400_00bf)] } == [])
    }
}
