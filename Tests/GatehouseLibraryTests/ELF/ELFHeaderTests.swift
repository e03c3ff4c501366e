// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct ELFHeaderTests {
    /// The identification of a 64-bit little-endian file.
    private static let identification: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]

    /// Reads a header alone.
    private func header(_ bytes: [UInt8]) throws -> ELFHeader {
        try unsafe bytes.withUnsafeBytes { try unsafe ELFHeader(reading: ByteReader($0)) }
    }

    @Test func `each field is read from its place`() throws {
        // Every byte after the identification tells where it is.
        let header = try header(Self.identification + (7..<64).map { UInt8($0) })
        #expect(header.type == ELFType(rawValue: 0x1110))
        #expect(header.machine == ELFMachine(rawValue: 0x1312))
        #expect(header.programHeaderOffset == 0x2726_2524_2322_2120)
        #expect(header.sectionHeaderOffset == 0x2f2e_2d2c_2b2a_2928)
        #expect(header.programHeaderSize == 0x3736)
        #expect(header.programHeaderCount == 0x3938)
        #expect(header.sectionHeaderSize == 0x3b3a)
        #expect(header.sectionCount == 0x3d3c)
        #expect(header.sectionNames == 0x3f3e)
    }

    @Test func `64 bytes are needed`() {
        let bytes = Self.identification + [UInt8](repeating: 0, count: 57)
        #expect(throws: Never.self) { try header(bytes) }
        #expect(throws: ELFError.truncated(.header, offset: 0, expected: 64, found: 63)) {
            try header(bytes.dropLast())
        }
    }

    @Test func `a file that ends in its identification says where`() {
        #expect(throws: ELFError.notELF(found: [0x7f, 0x45, 0x4c])) {
            try header(Array(Self.identification.prefix(3)))
        }
        for length in 4...6 {
            #expect(
                throws: ELFError.truncated(.identification, offset: UInt64(length), expected: 1, found: 0)
            ) {
                try header(Array(Self.identification.prefix(length)))
            }
        }
        #expect(throws: ELFError.notELF(found: [0x7f, 0x45, 0x4c, 0x47])) {
            try header([0x7f, 0x45, 0x4c, 0x47] + Self.identification)
        }
    }

    @Test func `types and machines have the numbers of the standard`() {
        #expect([ELFType.relocatable, .executable, .sharedObject, .core].map(\.rawValue) == [1, 2, 3, 4])
        let machines: [ELFMachine] = [
            .i386, .powerPC64, .s390, .arm, .x86_64, .aarch64, .riscv, .loongArch,
        ]
        #expect(machines.map(\.rawValue) == [3, 21, 22, 40, 62, 183, 243, 258])
    }
}
