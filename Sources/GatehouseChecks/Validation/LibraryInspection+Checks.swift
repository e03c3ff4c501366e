// SPDX-License-Identifier: Apache-2.0

internal import GatehouseLibrary
internal import GatehouseSupport

// File facts that only checks need.
extension LibraryInspection {
    /// A section of the file.
    private struct Section {
        /// The name, such as `.debug_line`.
        let name: String
        /// The offset in the file.
        let offset: UInt64
        /// The size in bytes; a section may have none in the file.
        let count: UInt64
    }

    /// The most bytes read of one section.
    private static let sectionLimit: UInt64 = 1 << 16

    /// Warnings about the file's owner, mode and kind.
    var trustWarnings: [String] { Array(warnings.dropLast(verdict.warnings.count)) }

    /// The names of the sections; nil when they cannot be read.
    var sectionNames: [String]? {
        unsafe read { reader throws(ELFError) in try unsafe Self.sections(in: reader).map(\.name) }
    }

    /// The names of fields and enum cases in Swift's reflection data, except those that could not be members of
    /// hand-written JSON; none when they cannot be read.
    var fieldNames: [String] {
        let bytes = unsafe read { reader throws(ELFError) -> [UInt8] in
            guard
                let section = try unsafe Self.sections(in: reader).first(where: {
                    $0.name == "swift5_reflstr"
                })
            else { return [] }
            return try unsafe reader.copy(
                at: section.offset, count: min(section.count, Self.sectionLimit), of: .sectionHeaders)
        }
        let names = (bytes ?? []).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        let plain = names.filter { name in
            name.utf8.count <= 40
                && name.utf8.allSatisfy { $0 < 0x80 && $0 > 0x20 && $0 != UInt8(ascii: "$") }
        }
        return Array(Set(plain).sorted().prefix(1_000))
    }

    /// Reads from the file; nil when that fails.
    private func read<Result>(
        _ body: (borrowing ByteReader) throws(ELFError) -> Result
    ) -> Result? {
        let result = try? unsafe SystemFile.withSparseCopy(of: path) { copy, bytes in
            Swift.Result { () throws(ELFError) in try unsafe body(ByteReader(bytes, loadedBy: copy)) }
        }
        return try? result?.get()
    }

    /// Reads the section table and the section with the names.
    private static func sections(in reader: borrowing ByteReader) throws(ELFError) -> [Section] {
        let header = try unsafe ELFHeader(reading: reader)
        let index = try unsafe reader.integer(UInt16.self, at: 62, of: .header)
        let size = UInt64(header.sectionHeaderSize)
        guard size >= 64, index < header.sectionCount else { return [] }
        let table = header.sectionHeaderOffset + UInt64(index) * size
        let start = try unsafe reader.integer(UInt64.self, at: table + 24, of: .sectionHeaders)
        let count = try unsafe reader.integer(UInt64.self, at: table + 32, of: .sectionHeaders)
        let texts = try unsafe reader.copy(at: start, count: min(count, sectionLimit), of: .sectionHeaders)
        var sections: [Section] = []
        for number in 0..<UInt64(header.sectionCount) {
            let place = header.sectionHeaderOffset + number * size
            let offset = Int(try unsafe reader.integer(UInt32.self, at: place, of: .sectionHeaders))
            guard offset < texts.count else { continue }
            sections.append(
                Section(
                    name: String(decoding: texts[offset...].prefix { $0 != 0 }, as: UTF8.self),
                    offset: try unsafe reader.integer(UInt64.self, at: place + 24, of: .sectionHeaders),
                    count: try unsafe reader.integer(UInt64.self, at: place + 32, of: .sectionHeaders)))
        }
        return sections
    }
}
