// SPDX-License-Identifier: Apache-2.0

extension LoaderCheck {
    /// Compares the linker's own account with what the loader is told.
    ///
    /// A file without sections is fine; there is only less to compare.
    mutating func checkSections() {
        for section in sections where section.isAllocated && section.size > 0 { checkPlace(of: section) }
        // Numbers of section types, as the loader's tables have them.
        let tables: [(DynamicTag, size: DynamicTag?, type: UInt32, ELFPart)] = [
            (.strTab, .strSize, 3, .stringTable), (.symTab, nil, 11, .symbolTable),
            (.hash, nil, 5, .hashTable), (.gnuHash, nil, 0x6fff_fff6, .hashTable),
            (.initArray, .initArraySize, 14, .initialisers), (.finiArray, .finiArraySize, 15, .initialisers),
            (.relr, .relrSize, 19, .relocations), (.verSym, nil, 0x6fff_ffff, .versions),
            (.verNeed, nil, 0x6fff_fffe, .versions), (.verDef, nil, 0x6fff_fffd, .versions),
        ]
        for (tag, size, type, part) in tables { compare(tag, size: size, type: type, part) }
        compareRelocations(.rela, size: .relaSize)
        compareRelocations(.jmpRel, size: .pltRelSize)
        compareDynamicSection()
    }

    /// Checks that a section lies where a mapped segment puts its bytes.
    private mutating func checkPlace(of section: SectionHeader) {
        // The zeros of thread-local storage take no room in the library's own memory.
        if section.isNoBits, section.isThreadLocal { return }
        guard let holder = load(holding: section.address, count: section.size) else {
            mismatch(
                .section, "addresses inside a loaded segment",
                found: "\(section.size) bytes at \(Self.hex(section.address))")
            return
        }
        if section.isNoBits { return }
        let distance = section.address - holder.address
        expect(
            .section, "address and file offset of the same bytes",
            found: "address \(Self.hex(section.address)) and offset \(Self.hex(section.offset))",
            if: holder.offset &+ distance == section.offset && distance + section.size <= holder.fileSize)
    }

    /// Compares a table of the loader with the section of its type.
    private mutating func compare(
        _ tag: DynamicTag, size: DynamicTag?, type: UInt32, _ part: ELFPart
    ) {
        let own = sections.filter { $0.type == type && $0.isAllocated && $0.size > 0 }
        guard !sections.isEmpty else { return }
        guard let address = table[tag] else {
            // Strings may belong to somebody else.
            if let section = own.first, type != 3 {
                mismatch(
                    part, "\(tag) \(Self.hex(section.address)) by the section table", found: "no such entry")
            }
            return
        }
        // Without content the address means nothing.
        if let size, table[size] == 0 { return }
        guard let section = own.first(where: { $0.address == address }) else {
            mismatch(part, "\(tag) to be the start of its section", found: Self.hex(address))
            return
        }
        if let size, let found = table[size] {
            expect(
                part, "\(size) \(section.size) by the section table", found: "\(found)",
                if: found == section.size)
        }
    }

    /// Compares a table of relocations, which may be several sections in a row.
    private mutating func compareRelocations(_ tag: DynamicTag, size: DynamicTag) {
        let own = sections.filter { $0.type == 4 && $0.isAllocated && $0.size > 0 }
        guard !sections.isEmpty, let address = table[tag], let count = table[size], count > 0 else { return }
        let isSection =
            own.contains { $0.address == address } && own.contains { $0.end == address &+ count }
        expect(
            .relocations, "\(tag) and \(size) to be whole sections",
            found: "\(count) bytes at \(Self.hex(address))", if: isSection)
    }

    /// Compares the dynamic section with the section of its type.
    private mutating func compareDynamicSection() {
        guard let section = sections.first(where: { $0.type == 6 && $0.isAllocated }),
            let segment = segments.first(where: { $0.kind == .dynamic })
        else { return }
        expect(
            .dynamicSection, "\(section.size) bytes at \(Self.hex(section.address)) by the section table",
            found: "\(segment.fileSize) at \(Self.hex(segment.address))",
            if: section.address == segment.address && section.size == segment.fileSize)
    }

    /// Checks where the symbols of this library are.
    mutating func checkSymbols() {
        // Absolute numbers and what has no section number of its own are not addresses.
        for symbol in symbols.symbols where symbol.isDefined && symbol.section < SectionHeader.limit {
            if symbol.kind == .threadLocal {
                let template = segments.first { $0.kind == .threadLocal }
                expect(
                    .symbol, "\(symbol.name) inside the template of thread-local storage",
                    found: Self.hex(symbol.value), if: symbol.value < template?.memorySize ?? 0)
                continue
            }
            expect(
                .symbol, "\(symbol.name) inside the library", found: Self.hex(symbol.value),
                if: isInside(symbol.value) && isInSection(symbol))
            if symbol.kind == .function || symbol.kind == .indirectFunction {
                expect(
                    .symbol, "\(symbol.name) where code may run", found: Self.hex(symbol.value),
                    if: isCode(symbol.value))
            }
        }
    }

    /// Whether a symbol lies in the section it names; true when there are no sections to compare.
    private func isInSection(_ symbol: DynamicSymbol) -> Bool {
        // Linkers mark the ends of sections with names of no kind, and give them to any section nearby.
        guard !sections.isEmpty, symbol.kind != .unspecified else { return true }
        guard Int(symbol.section) < sections.count else { return false }
        let section = sections[Int(symbol.section)]
        return symbol.value >= section.address && symbol.value <= section.end
    }
}
