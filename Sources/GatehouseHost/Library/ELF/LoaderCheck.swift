// SPDX-License-Identifier: Apache-2.0

/// Goes through everything that the dynamic loader will go through, and notes what would mislead it.
///
/// The loader believes each number: an address outside the library, a table of another size or a version without name
/// ends the process. Only what the headers and tables of the file can tell is found here; a changed byte of code or data
/// is not. Each entry of a table is looked up among segments and sections, so files with more of these than `segmentLimit` and
/// `sectionLimit` are not gone through. Never traps.
struct LoaderCheck {
    /// The fixed first part of the file.
    let header: ELFHeader
    /// All segments.
    let segments: [ProgramHeader]
    /// All sections; empty when the file has none.
    let sections: [SectionHeader]
    /// The raw dynamic section.
    let table: DynamicTable
    /// Its strings, resolved.
    let dynamic: DynamicSection
    /// The dynamic symbols.
    let symbols: SymbolTable
    /// What was found, at most `limit`.
    private(set) var damage: [ELFDamage] = []

    /// The greatest number of findings that is kept: one flipped bit may spoil every entry of a table.
    static let limit = 8
    /// The greatest number of mapped segments; linkers make about five.
    static let segmentLimit = 64
    /// The greatest number of sections; libraries have about forty.
    static let sectionLimit = 1_024

    /// Goes through everything; what cannot be read is a finding too.
    mutating func run(reading reader: borrowing ByteReader) {
        let (mapped, described) = (loads.count, sections.count)
        expect(
            .programHeaders, "at most \(Self.segmentLimit) loaded segments", found: "\(mapped)",
            if: mapped <= Self.segmentLimit)
        expect(
            .sectionHeaders, "at most \(Self.sectionLimit) sections", found: "\(described)",
            if: described <= Self.sectionLimit)
        guard damage.isEmpty else { return }
        checkSegments()
        checkDynamicSection()
        checkSections()
        checkSymbols()
        do throws(ELFError) {
            try unsafe checkHashTables(reading: reader)
            try unsafe checkVersions(reading: reader)
            try unsafe checkRelocations(reading: reader)
        } catch {
            note(.unreadable(error))
        }
    }

    /// Keeps a finding, once.
    mutating func note(_ finding: ELFDamage) {
        guard damage.count < Self.limit, !damage.contains(finding) else { return }
        damage.append(finding)
    }

    /// Keeps a finding of the usual form.
    mutating func expect(
        _ part: ELFPart, _ expected: @autoclosure () -> String, found: @autoclosure () -> String,
        if holds: Bool
    ) {
        if !holds { mismatch(part, expected(), found: found()) }
    }

    /// Keeps the finding of a part that is not what it should be.
    mutating func mismatch(_ part: ELFPart, _ expected: String, found: String) {
        note(.mismatch(part, expected: expected, found: found))
    }

    /// Keeps the finding of something legal that is refused.
    mutating func hazard(_ part: ELFPart, _ found: String, advice: String) {
        note(.hazard(part, found: found, advice: advice))
    }

    // MARK: - Where things lie

    /// The mapped segments in table order.
    var loads: [ProgramHeader] { segments.filter { $0.kind == .load } }

    /// The mapped segment whose memory holds a run of addresses.
    func load(holding start: UInt64, count: UInt64) -> ProgramHeader? {
        segments.first { $0.kind == .load && $0.holds(start, count: count) }
    }

    /// Whether code at an address can run; where sections tell code from constants, whether it is code.
    func isCode(_ address: UInt64) -> Bool {
        guard load(holding: address, count: 1)?.isExecutable == true else { return false }
        return sections.isEmpty
            || sections.contains { $0.isCode && $0.address <= address && address < $0.end }
    }

    /// Whether a function starts at an address, as far as sections and exported names tell.
    func isFunctionStart(_ address: UInt64) -> Bool {
        guard isCode(address) else { return false }
        return sections.isEmpty || sections.contains { $0.isCode && $0.address == address }
            || symbols.symbols.contains { $0.isDefined && $0.kind == .function && $0.value == address }
    }

    /// Whether an address lies in the library, or just behind one of its segments.
    func isInside(_ address: UInt64) -> Bool { load(holding: address, count: 0) != nil }

    /// The offset in the file of a table, if all of it comes from the file.
    ///
    /// - Throws: `unmapped`, also when only the end of the table is not mapped.
    func fileOffset(of address: UInt64, count: UInt64, part: ELFPart) throws(ELFError) -> UInt64 {
        let range = try segments.fileRange(from: address, of: part)
        guard count <= range.upperBound - range.lowerBound else {
            throw .truncated(
                part, offset: range.lowerBound, expected: count,
                found: range.upperBound - range.lowerBound)
        }
        return range.lowerBound
    }

    /// An address as messages show it.
    static func hex(_ number: UInt64) -> String { "0x" + String(number, radix: 16) }
}
