// SPDX-License-Identifier: Apache-2.0

/// The fixed first part of an ELF file, as far as the host needs it.
package struct ELFHeader: Hashable, Sendable {
    /// Object file, executable or shared object.
    package let type: ELFType
    /// The instruction set of the code.
    package let machine: ELFMachine

    /// Where the program header table starts, in bytes from the start of the file.
    let programHeaderOffset: UInt64
    /// The number of program headers; 65,535 means more, which is refused.
    let programHeaderCount: UInt16
    /// The size of one program header in bytes, as the file claims.
    let programHeaderSize: UInt16
    /// Where the section header table starts, in bytes from the start of the file.
    package let sectionHeaderOffset: UInt64
    /// The number of section headers.
    package let sectionCount: UInt16
    /// The size of one section header in bytes, as the file claims.
    package let sectionHeaderSize: UInt16
    /// The index of the section that contains the names of sections.
    package let sectionNames: UInt16

    /// Reads the header at the start of the file.
    ///
    /// - Throws: `notELF`, `is32Bit`, `isBigEndian`, `unknownIdentification` or `truncated`.
    package init(reading reader: borrowing ByteReader) throws(ELFError) {
        let magic: [UInt8] = [0x7f, 0x45, 0x4c, 0x46]
        let start = try unsafe reader.copy(at: 0, count: UInt64(min(4, reader.count)), of: .identification)
        guard start == magic else { throw .notELF(found: start) }

        switch try unsafe reader.integer(UInt8.self, at: 4, of: .identification) {
        case 2: break
        case 1: throw .is32Bit
        case let found:
            throw .unknownIdentification(field: "class", offset: 4, expected: 2, found: found)
        }
        switch try unsafe reader.integer(UInt8.self, at: 5, of: .identification) {
        case 1: break
        case 2: throw .isBigEndian
        case let found:
            throw .unknownIdentification(field: "byte order", offset: 5, expected: 1, found: found)
        }
        let version = try unsafe reader.integer(UInt8.self, at: 6, of: .identification)
        guard version == 1 else {
            throw .unknownIdentification(field: "ELF version", offset: 6, expected: 1, found: version)
        }
        try unsafe reader.require(at: 0, count: 64, of: .header)
        type = ELFType(rawValue: try unsafe reader.integer(at: 16, of: .header))
        machine = ELFMachine(rawValue: try unsafe reader.integer(at: 18, of: .header))
        sectionHeaderOffset = try unsafe reader.integer(at: 40, of: .header)
        sectionHeaderSize = try unsafe reader.integer(at: 58, of: .header)
        sectionNames = try unsafe reader.integer(at: 62, of: .header)
        sectionCount = try unsafe reader.integer(at: 60, of: .header)
        programHeaderOffset = try unsafe reader.integer(at: 32, of: .header)
        programHeaderSize = try unsafe reader.integer(at: 54, of: .header)
        programHeaderCount = try unsafe reader.integer(at: 56, of: .header)
    }
}
