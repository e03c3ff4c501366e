// SPDX-License-Identifier: Apache-2.0

@testable import GatehouseHost

extension Defect {
    /// Segments on which the loader would stumble.
    static let segments = [
        Defect("a segment that is not readable") { library in
            library.write(UInt32(2), at: try library.programHeader(1, 1) + 4)
            let address = library.number(at: try library.programHeader(1, 1) + 16)
            return [
                "a loaded segment: expected readable memory, found memory that is not at \(LoaderCheck.hex(address))"
                    + damaged
            ]
        },
        Defect("a segment with less memory than bytes") { library in
            let header = try library.programHeader(1, 1)
            let size = library.number(at: header + 32)
            library.write(size - 1, at: header + 40)
            let reasons = library.verdict.refusals.map(\.description)
            let place = LoaderCheck.hex(library.number(at: header + 16))
            let first =
                "a loaded segment: expected at least its \(size) bytes of the file in memory, found \(size - 1) at \(place)"
                + damaged
            // What lies in the missing byte is told too.
            return [first] + reasons.dropFirst()
        },
        Defect("an alignment that offset and address do not have") { library in
            let header = try library.programHeader(1, 1)
            library.write(UInt64(1 << 20), at: header + 48)
            let (offset, address) = (library.number(at: header + 8), library.number(at: header + 16))
            return [
                "a loaded segment: expected file offset and address to agree by the alignment, found offset \(LoaderCheck.hex(offset)) at \(LoaderCheck.hex(address)), alignment 0x100000"
                    + damaged
            ]
        },
        Defect("a dynamic section at two places") { library in
            let header = try library.programHeader(2)
            let address = library.number(at: header + 16)
            library.write(address + 16, at: header + 16)
            let offset = library.number(at: header + 8)
            let size = library.number(at: header + 32)
            return [
                "the dynamic section: expected address and file offset of the same bytes, found address \(LoaderCheck.hex(address + 16)) and offset \(LoaderCheck.hex(offset))"
                    + damaged,
                "the dynamic section: expected \(size) bytes at \(LoaderCheck.hex(address)) by the section table, found \(size) at \(LoaderCheck.hex(address + 16))"
                    + damaged,
            ]
        },
        Defect("a note at two places") { library in
            let header = try library.programHeader(4)
            let address = library.number(at: header + 16)
            library.write(address + 4, at: header + 16)
            return [
                "a note: expected address and file offset of the same bytes, found address \(LoaderCheck.hex(address + 4)) and offset \(LoaderCheck.hex(library.number(at: header + 8)))"
                    + damaged
            ]
        },
        Defect("a segment of an unknown type") { library in
            library.write(UInt32(0x55), at: try library.programHeader(0x6474_e550))
            return ["the program header table: expected segments of known types, found type 0x55" + damaged]
        },
    ]

    /// Tables on which the loader would stumble.
    static let tables = [
        Defect("strings outside the library") { library in
            try library.setDynamic(.strTab, to: 0x7fff_0000)
            return [
                "the dynamic string table: expected an address inside a loaded segment, found 0x7fff0000"
                    + damaged
            ]
        },
        Defect("relocations of another size") { library in
            try library.setDynamic(.relaEntry, to: 25)
            return ["the dynamic section: expected DT_RELAENT 24, found 25" + damaged]
        },
        Defect("relocations of another form") { library in
            try library.setDynamic(.pltRel, to: 17)
            return ["the dynamic section: expected DT_PLTREL 7, found 17" + damaged]
        },
        Defect("fewer relocations than there are") { library in
            let size = try library.dynamicValue(.relaSize)
            let start = try library.dynamicValue(.rela)
            try library.setDynamic(.relaSize, to: size - 24)
            return [
                "the relocations: expected DT_RELA and DT_RELASZ to be whole sections, found \(size - 24) bytes at \(LoaderCheck.hex(start))"
                    + damaged
            ]
        },
        Defect("no size of the relocations") { library in
            // A tag that means nothing to anybody takes its place.
            library.write(UInt64(0x6fff_fef0), at: try library.dynamicEntry(.relaSize))
            return [
                "the dynamic section: expected an entry DT_RELASZ in the dynamic section, found none"
                    + damaged
            ]
        },
        Defect("a library in its place") { library in
            let entry = try library.dynamicEntry(.relaCount)
            library.write(DynamicTag.filter.rawValue, at: entry)
            library.write(UInt64(1), at: entry + 8)
            return [
                "the dynamic section: DT_FILTER names a library that answers in this one's place; link the plugin without it"
            ]
        },
        Defect("an unknown entry of the dynamic section") { library in
            library.write(UInt64(0x1234), at: try library.dynamicEntry(.relaCount))
            return ["the dynamic section: expected entries of known types, found 0x1234" + damaged]
        },
        Defect("an initialiser among the data") { library in
            try library.setDynamic(.initialize, to: library.dynamicValue(.strTab))
            return [
                "the initialisers: expected the address of a function in DT_INIT, found \(LoaderCheck.hex(try library.dynamicValue(.strTab)))"
                    + damaged
            ]
        },
        Defect("a filter of names of a size that is no power of two") { library in
            let table = try library.table(.gnuHash)
            let size = library.number(UInt32.self, at: table + 8)
            library.write(size &* 2 | 1, at: table + 8)
            let reasons = library.verdict.refusals.map(\.description)
            // Everything behind the filter moves, so the number of symbols is another one too.
            return reasons.isEmpty ? ["expected a refusal"] : reasons
        },
        Defect("another name's hash") { library in
            let table = try library.table(.gnuHash)
            let words = Int(library.number(UInt32.self, at: table + 8))
            let buckets = Int(library.number(UInt32.self, at: table))
            let chains = table + 16 + words * 8 + buckets * 4
            let first = Int(library.number(UInt32.self, at: table + 4))
            library.write(library.number(UInt32.self, at: chains) ^ 0x10, at: chains)
            let symbols = try ELFImage(reading: library.bytes).symbols
            let name = symbols.first { $0.index == first }?.name ?? ""
            return [
                "the symbol hash table: expected \(name) in its place, found another name's hash there"
                    + damaged
            ]
        },
        Defect("a version without a record") { library in
            let table = try library.table(.verSym)
            library.write(UInt16(77), at: table + 2)
            return ["the symbol versions: expected numbers with a record, found 77" + damaged]
        },
        Defect("more versions than any library has") { library in
            let table = try library.table(.verNeed)
            library.write(UInt16.max, at: table + 2)
            return [
                "the symbol versions: expected at most 4096, found 65535; the file is damaged or hostile, do not load it"
            ]
        },
        Defect("a relocation outside the library") { library in
            let table = try library.table(.jmpRel)
            library.write(UInt64(0x4000_0000), at: table)
            return [
                "the relocations: expected writable memory of the library, found 0x40000000" + damaged
            ]
        },
        Defect("a relocation to an address outside the library") { library in
            library.write(UInt64(1) << 63 | 0x4000_0000, at: try library.lastRelativeAddend())
            return [
                "the relocations: expected an address inside the library, found 0x8000000040000000" + damaged
            ]
        },
        Defect("a relocation in a place that another one has") { library in
            let table = try library.table(.jmpRel)
            let other = library.number(at: table + 24)
            library.write(other, at: table)
            return [
                "the relocations: expected each word once, found \(LoaderCheck.hex(other)) written twice"
                    + damaged
            ]
        },
        Defect("a relocation for a symbol that is not there") { library in
            let table = try library.table(.jmpRel)
            let info = library.number(at: table + 8)
            library.write(info & 0xffff_ffff | 9_999 << 32, at: table + 8)
            let count = (try ELFImage(reading: library.bytes).symbols.map(\.index).max() ?? 0) + 1
            return ["the relocations: expected symbols below \(count), found 9999" + damaged]
        },
        Defect("a relocation of an unknown type") { library in
            library.write(UInt32(200), at: try library.table(.jmpRel) + 8)
            let machine = ELFMachine.current.map { "\($0)" } ?? ""
            return [
                "the relocations: expected types of a shared library on \(machine), found 200" + damaged
            ]
        },
        Defect("two starts of the symbols") { library in
            let address = try library.dynamicValue(.symTab)
            let count = library.number(UInt16.self, at: 60)
            let start = Int(library.number(at: 40))
            for index in 0..<Int(count) where library.number(UInt32.self, at: start + index * 64 + 4) == 11 {
                library.write(address + 24, at: start + index * 64 + 16)
            }
            return [
                "a section: expected address and file offset of the same bytes, found address \(LoaderCheck.hex(address + 24)) and offset \(LoaderCheck.hex(address))"
                    + damaged,
                "the dynamic symbol table: expected DT_SYMTAB to be the start of its section, found \(LoaderCheck.hex(address))"
                    + damaged,
            ]
        },
    ]
}
