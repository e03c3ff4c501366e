// SPDX-License-Identifier: Apache-2.0

import GatehouseLibraryTesting

@testable import GatehouseLibrary

extension Defect {
    /// Numbers that keep this program from reading on.
    static let tables = [
        Defect("strings outside the library") { library in
            try library.setDynamic(.strTab, to: 0x7fff_0000)
            return [
                "the dynamic string table: expected an address inside a loaded segment, found 0x7fff0000"
                    + damaged
            ]
        },
        Defect("a dynamic section outside the library") { library in
            library.write(UInt64(0x7fff_0000), at: try library.programHeader(2) + 16)
            return [
                "the dynamic section: expected an address inside a loaded segment, found 0x7fff0000" + damaged
            ]
        },
        Defect("symbols of another size") { library in
            try library.setDynamic(.symEntry, to: 25)
            return [
                "the dynamic symbol table: expected entries of 24 bytes, found entries of 25" + damaged
            ]
        },
        Defect("no hash table") { library in
            // A tag that means nothing to anybody takes its place.
            library.write(UInt64(0x6fff_fef0), at: try library.dynamicEntry(.gnuHash))
            return [
                "the symbol hash table: expected an entry DT_HASH or DT_GNU_HASH in the dynamic section, found none"
                    + damaged
            ]
        },
        Defect("a version without a record") { library in
            // Addresses in the first segment are offsets.
            let table = Int(library.number(at: try library.dynamicEntry(.verSym) + 8))
            library.write(UInt16(77), at: table + 2)
            let limit = try library.greatestVersion()
            return [
                "the symbol versions: expected at most \(limit), found 77; the file is damaged or hostile, do not load it"
            ]
        },
        Defect("a relocation outside of the library") { library in
            let table = Int(library.number(at: try library.dynamicEntry(.rela) + 8))
            library.write(UInt64(0x7fff_0000), at: table)
            return [
                "the relocations: expected an address inside a loaded segment, found 0x7fff0000" + damaged
            ]
        },
        Defect("a relocation by a symbol that is none") { library in
            let table = Int(library.number(at: try library.dynamicEntry(.rela) + 8))
            library.write(UInt32(99_999), at: table + 12)
            let limit = try library.symbolCount() - 1
            return [
                "the relocations: expected at most \(limit), found 99999; the file is damaged or hostile, do not load it"
            ]
        },
        Defect("a library in its place") { library in
            let entry = try library.dynamicEntry(DynamicTag(rawValue: 0x6fff_fff9))
            library.write(DynamicTag.filter.rawValue, at: entry)
            library.write(UInt64(1), at: entry + 8)
            return [
                "the dynamic section: DT_FILTER names a library that answers in this one's place; link the plugin without it"
            ]
        },
    ]
}

extension FixtureLibrary {
    /// The greatest number among the versions that the symbols of a sound library have; the second is damaged already.
    fileprivate func greatestVersion() throws -> UInt16 {
        let table = Int(number(at: try dynamicEntry(.verSym) + 8))
        let sound = try FixtureLibrary("SilentEntry")
        return (0..<(try symbolCount())).map { sound.number(UInt16.self, at: table + $0 * 2) & 0x7fff }.max()
            ?? 0
    }

    /// The number of symbols of a sound library, which all have names but the empty first one.
    fileprivate func symbolCount() throws -> Int {
        try ELFImage(reading: FixtureLibrary("SilentEntry").bytes).symbols.count + 1
    }
}
