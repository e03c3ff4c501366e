// SPDX-License-Identifier: Apache-2.0

/// The fixed first part of an ELF file, as far as the host needs it.
package struct ELFHeader: Hashable, Sendable {
    /// The width of addresses; the corresponding field is `e_ident[EI_CLASS]`.
    enum Class: UInt8, Sendable {
        /// Addresses of 4 bytes.
        case bits32 = 1
        /// Addresses of 8 bytes.
        case bits64 = 2
    }

    /// The byte order of all numbers; the corresponding field is `e_ident[EI_DATA]`.
    enum ByteOrder: UInt8, Sendable {
        /// Least significant byte first.
        case littleEndian = 1
        /// Most significant byte first.
        case bigEndian = 2
    }

    /// Always 64-bit: reading refuses other files.
    let elfClass: Class
    /// Always little-endian: reading refuses other files.
    let byteOrder: ByteOrder
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

        elfClass = try unsafe Self.elfClass(reader.integer(at: 4, of: .identification))
        byteOrder = try unsafe Self.byteOrder(reader.integer(at: 5, of: .identification))
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

    /// Accepts the 64-bit class and explains any other.
    private static func elfClass(_ raw: UInt8) throws(ELFError) -> Class {
        switch Class(rawValue: raw) {
        case .bits64: return .bits64
        case .bits32: throw .is32Bit
        case nil: throw .unknownIdentification(field: "class", offset: 4, expected: 2, found: raw)
        }
    }

    /// Accepts little-endian and explains any other byte order.
    private static func byteOrder(_ raw: UInt8) throws(ELFError) -> ByteOrder {
        switch ByteOrder(rawValue: raw) {
        case .littleEndian: return .littleEndian
        case .bigEndian: throw .isBigEndian
        case nil: throw .unknownIdentification(field: "byte order", offset: 5, expected: 1, found: raw)
        }
    }
}
