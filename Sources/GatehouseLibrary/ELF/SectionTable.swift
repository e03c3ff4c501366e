// SPDX-License-Identifier: Apache-2.0

/// The linker's table of sections, which repeats what the segments and the dynamic section say.
///
/// The loader ignores it. Where the two accounts disagree, one is damaged: a segment that is too short, missing relocations, lost
/// thread-local storage. Nothing else reveals such damage before an action meets it. A file without sections is read without them.
struct SectionTable {
    /// Locates the table.
    let header: ELFHeader
    /// The parts of the file that the loader maps.
    let segments: [ProgramHeader]
    /// The dynamic section, as the loader reads it.
    let table: DynamicTable
    /// The total size of the sections of relocations with addends.
    private(set) var relocations: UInt64 = 0

    /// One section as the file has it.
    private struct Section {
        /// Its index in the table.
        let index: UInt64
        /// Where its name begins in the section with the names.
        let name: UInt32
        /// Its contents: 4 for relocations with addends, 6 for the dynamic section, 8 for zeros that the file omits, 11 for dynamic
        /// symbols, 14 and 15 for functions to run at the start and the end, 19 for packed relocations.
        let kind: UInt32
        /// Bit 0: writable; bit 1: mapped; bit 2: executable; bit 10: thread-local.
        let flags: UInt64
        /// Its address when mapped, its offset in the file, and its size.
        let address, offset, size: UInt64

        /// Whether the file contains its bytes.
        var isInFile: Bool { kind != 8 }
        /// Whether each thread has its own copy.
        var isThreadLocal: Bool { flags & 0x400 != 0 }
    }

    /// Checks that the two accounts agree.
    ///
    /// - Throws: `entrySize` or `mismatch`, or the reason why the table cannot be read.
    consuming func check(reading reader: borrowing ByteReader) throws(ELFError) {
        // From 0xff00 on the number is elsewhere, which occurs in no library that a linker wrote.
        guard header.sectionCount > 1, header.sectionCount < 0xff00 else { return }
        guard header.sectionHeaderSize == 64 else {
            throw .entrySize(.sectionHeaders, expected: 64, found: UInt64(header.sectionHeaderSize))
        }
        let protected = protectedPages
        for index in 1..<UInt64(header.sectionCount) {
            let section = try unsafe section(index, reading: reader)
            guard section.flags & 2 != 0, section.size > 0, section.kind != 0 else { continue }
            if let expected = contradiction(in: section) {
                throw .mismatch(
                    .sectionHeaders, expected: "section \(index) \(expected)",
                    found: "\(section.size) bytes at 0x\(String(section.address, radix: 16))")
            }
            if let protected, section.flags & 1 != 0, !section.isThreadLocal,
                section.address < protected.upperBound,
                section.address &+ section.size > protected.lowerBound,
                try unsafe isPlainData(section, reading: reader)
            {
                throw .mismatch(
                    .sectionHeaders, expected: "section \(index), which is written to, to stay so",
                    found: "it in what the loader makes read-only")
            }
        }
        let told = tables
        guard relocations == told else {
            throw .mismatch(
                .sectionHeaders, expected: "\(relocations) bytes of relocations in the dynamic section",
                found: "\(told)")
        }
    }

    /// Reads a section's entry.
    private func section(_ index: UInt64, reading reader: borrowing ByteReader) throws(ELFError) -> Section {
        let start = header.sectionHeaderOffset + index * 64
        return Section(
            index: index, name: try unsafe reader.integer(at: start, of: .sectionHeaders),
            kind: try unsafe reader.integer(at: start + 4, of: .sectionHeaders),
            flags: try unsafe reader.integer(at: start + 8, of: .sectionHeaders),
            address: try unsafe reader.integer(at: start + 16, of: .sectionHeaders),
            offset: try unsafe reader.integer(at: start + 24, of: .sectionHeaders),
            size: try unsafe reader.integer(at: start + 32, of: .sectionHeaders))
    }

    /// The place that a section should have for the loader and has not; nil when all is well.
    private mutating func contradiction(in section: Section) -> String? {
        if section.isThreadLocal {
            let storage = segments.last { $0.kind == .threadLocal }
            guard storage?.holds(section.address, count: section.size) ?? false else {
                return "inside the thread-local storage"
            }
            // Its zeros occupy no space in the segments.
            if !section.isInFile { return nil }
        }
        guard
            let load = segments.first(where: {
                $0.kind == .load && $0.holds(section.address, count: section.size)
            })
        else { return "inside a loaded segment" }
        let distance = section.address - load.address
        if section.isInFile {
            guard distance <= load.fileSize, section.size <= load.fileSize - distance,
                load.offset &+ distance == section.offset
            else { return "where the loaded segment has it" }
        }
        // Bit 2 of a segment makes it readable; only code may do without.
        let wanted = UInt32(section.flags & 1) << 1 | UInt32(section.flags >> 2 & 1)
        guard load.permissions & wanted == wanted, load.permissions & 4 != 0 || wanted & 1 != 0 else {
            return "in a segment that allows what it is for"
        }
        return place(of: section)
    }

    /// Compares the place of a section with the dynamic section; nil when they agree.
    private mutating func place(of section: Section) -> String? {
        func agrees(_ start: DynamicTag, _ length: DynamicTag) -> String? {
            table[start] == section.address && table[length] == section.size
                ? nil : "where the dynamic section has it"
        }
        switch section.kind {
        case 4: (relocations, _) = relocations.addingReportingOverflow(section.size)
        case 6:
            guard segments.last(where: { $0.kind == .dynamic })?.address == section.address else {
                return "where the dynamic segment is"
            }
        case 11: if table[.symTab] != section.address { return "where the dynamic section has it" }
        case 14: return agrees(.initArray, .initArraySize)
        case 15: return agrees(.finiArray, .finiArraySize)
        case 19: return agrees(.relr, .relrSize)
        default: break
        }
        return nil
    }

    /// The total size of the two tables of relocations with addends, according to the dynamic section. They share no entry, or
    /// ``Relocations`` has refused them.
    private var tables: UInt64 {
        let others = table[.rela] == nil ? 0 : table[.relaSize] ?? 0
        let functions = table[.jmpRel] == nil ? 0 : table[.pltRelSize] ?? 0
        return others.addingReportingOverflow(functions).partialValue
    }

    /// The pages that the loader finally makes read-only; nil for none.
    private var protectedPages: Range<UInt64>? {
        guard let part = segments.last(where: { $0.kind == .readOnlyLater }) else { return nil }
        let (end, overflows) = part.address.addingReportingOverflow(part.memorySize)
        let (first, last) = (part.address & ~4_095, end & ~4_095)
        if overflows { return first..<UInt64.max }
        return first < last ? first..<last : nil
    }

    /// Whether a section is named `.data` or `.bss`, which are never protected.
    private func isPlainData(_ section: Section, reading reader: borrowing ByteReader) throws(ELFError)
        -> Bool
    {
        guard header.sectionNames > 0, header.sectionNames < header.sectionCount else { return false }
        let names = try unsafe self.section(UInt64(header.sectionNames), reading: reader)
        let (end, overflows) = names.offset.addingReportingOverflow(names.size)
        guard !overflows, names.offset <= UInt64.max - UInt64(section.name) else { return false }
        let name = try unsafe reader.string(
            at: names.offset + UInt64(section.name), before: end, limit: 4_096, of: .sectionHeaders)
        return name == ".data" || name == ".bss"
    }
}
