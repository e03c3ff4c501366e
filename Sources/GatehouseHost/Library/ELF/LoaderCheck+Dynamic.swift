// SPDX-License-Identifier: Apache-2.0

extension LoaderCheck {
    /// Checks what the dynamic section says, before anything it points to is looked at.
    mutating func checkDynamicSection() {
        let count = segments.count { $0.kind == .dynamic }
        expect(.dynamicSection, "one segment", found: "\(count)", if: count == 1)
        expect(.dynamicSection, "a terminating entry", found: "none", if: table.isTerminated)
        for tag in table.tags where !tag.isKnown {
            mismatch(.dynamicSection, "entries of known types", found: "\(tag)")
        }
        for tag in [DynamicTag.auxiliary, .filter] where table[tag] != nil {
            hazard(
                .dynamicSection, "\(tag) names a library that answers in this one's place",
                advice: "link the plugin without it")
        }
        checkCompleteness()
        checkFixedNumbers()
        // The loader would switch write protection of the code off.
        if changesCode {
            hazard(
                .relocations, "change the code itself",
                advice: "compile everything in the plugin with -fPIC")
        }
        // DF_1_NOOPEN and DF_1_PIE: the loader refuses both with less to say.
        let flags = table[.flags1] ?? 0
        if flags & 0x40 != 0 || flags & 0x0800_0000 != 0 {
            hazard(
                .dynamicSection, "says that the file must not be loaded by a program",
                advice: "build a dynamic library product")
        }
        checkAddresses()
    }

    /// Whether the library asks for relocations in its code.
    var changesCode: Bool { table[.textRel] != nil || (table[.flags] ?? 0) & 4 != 0 }

    /// Entries that mean something only together must all be there.
    private mutating func checkCompleteness() {
        let groups: [[DynamicTag]] = [
            [.strTab, .strSize, .symTab, .symEntry], [.rela, .relaSize, .relaEntry],
            [.jmpRel, .pltRelSize, .pltRel], [.relr, .relrSize, .relrEntry], [.initArray, .initArraySize],
            [.finiArray, .finiArraySize], [.verNeed, .verNeedCount], [.verDef, .verDefCount],
        ]
        for group in groups {
            let missing = group.filter { table[$0] == nil }
            guard missing.count < group.count || group.contains(.strTab) else { continue }
            for tag in missing { note(.unreadable(.missing(.dynamicSection, tag: "\(tag)"))) }
        }
        if table[.verNeed] != nil || table[.verDef] != nil {
            expect(.versions, "an entry DT_VERSYM", found: "none", if: table[.verSym] != nil)
        }
        if table[.verSym] != nil {
            expect(
                .versions, "an entry DT_VERNEED or DT_VERDEF", found: "neither",
                if: table[.verNeed] != nil || table[.verDef] != nil)
        }
    }

    /// Numbers that every 64-bit library has alike.
    private mutating func checkFixedNumbers() {
        let numbers: [(DynamicTag, UInt64)] = [
            (.symEntry, DynamicSymbol.size), (.relaEntry, Self.relocationSize), (.relrEntry, 8),
            (.pltRel, DynamicTag.rela.rawValue),
        ]
        for (tag, expected) in numbers {
            guard let found = table[tag], found != expected else { continue }
            mismatch(.dynamicSection, "\(tag) \(expected)", found: "\(found)")
        }
        expect(.relocations, "no entry DT_REL", found: "one", if: table[.rel] == nil)
    }

    /// Addresses that are followed without another table.
    private mutating func checkAddresses() {
        for tag in [DynamicTag.initialize, .finish] {
            guard let address = table[tag] else { continue }
            expect(
                .initialisers, "the address of a function in \(tag)", found: Self.hex(address),
                if: isFunctionStart(address))
        }
        if let address = table[.pltGOT] {
            expect(
                .dynamicSection, "an address inside the library in \(DynamicTag.pltGOT)",
                found: Self.hex(address), if: load(holding: address, count: 8) != nil)
        }
    }
}
