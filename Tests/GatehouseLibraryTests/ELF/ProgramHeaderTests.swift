// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct ProgramHeaderTests {
    /// Reads the program headers of a file.
    private func headers(_ bytes: [UInt8]) throws -> [ProgramHeader] {
        try unsafe bytes.withUnsafeBytes {
            let reader = unsafe ByteReader($0)
            return try unsafe ProgramHeader.all(of: ELFHeader(reading: reader), reading: reader)
        }
    }

    /// The segments of a library with further ones.
    private func segments(_ others: RawLibrary.Segment...) throws -> [ProgramHeader] {
        try headers(RawLibrary(others: others).bytes)
    }

    @Test func `each field is read from its place`() throws {
        let segments = try segments(
            .init(
                kind: 0x0102_0304, permissions: 0x0506_0708, offset: 1 << 60 | 1, address: 2 << 60 | 2,
                fileSize: 3 << 60 | 3, memorySize: 4 << 60 | 4, alignment: 5 << 60 | 5),
            .init(kind: 9))
        #expect(segments.count == 7)
        let one = segments[5]
        #expect(one.kind.rawValue == 0x0102_0304)
        #expect(one.permissions == 0x0506_0708)
        #expect([one.offset, one.address, one.fileSize] == [1 << 60 | 1, 2 << 60 | 2, 3 << 60 | 3])
        #expect([one.memorySize, one.alignment] == [4 << 60 | 4, 5 << 60 | 5])
        #expect(segments.map(\.kind.rawValue) == [1, 1, 2, 7, 0x6474_e551, 0x0102_0304, 9])
    }

    @Test func `kinds have the numbers of the standard`() {
        let kinds: [ProgramHeader.Kind] = [.load, .dynamic, .note, .threadLocal, .readOnlyLater, .stack]
        #expect(kinds.map(\.rawValue) == [1, 2, 4, 7, 0x6474_e552, 0x6474_e551])
    }

    @Test(arguments: 0...7 as ClosedRange<UInt32>)
    func `bit 0 of the permissions is to run, bit 1 to write`(permissions: UInt32) throws {
        let one = try segments(.init(kind: 1, permissions: permissions))[5]
        #expect(one.isExecutable == [1, 3, 5, 7].contains(permissions))
        #expect(one.isWritable == [2, 3, 6, 7].contains(permissions))
    }

    @Test func `512 program headers are read, and no more`() throws {
        var bytes = RawLibrary().bytes + [UInt8](repeating: 0, count: 0x8000)
        (bytes[56], bytes[57]) = (0, 2)
        #expect(try headers(bytes).count == 512)
        bytes[56] = 1
        #expect(throws: ELFError.excessive(.programHeaders, limit: 512, found: 513)) { try headers(bytes) }
    }

    @Test func `a table that leaves the file is refused as a whole`() throws {
        let bytes = RawLibrary().bytes
        #expect(try headers(Array(bytes.prefix(64 + 5 * 56))).count == 5)
        #expect(throws: ELFError.truncated(.programHeaders, offset: 64, expected: 280, found: 279)) {
            try headers(Array(bytes.prefix(64 + 5 * 56 - 1)))
        }
    }

    @Test func `a file without program headers has none, whatever their size`() throws {
        var bytes = RawLibrary().bytes
        (bytes[54], bytes[56]) = (0, 0)
        #expect(try headers(bytes) == [])
        for size in [55, 57] as [UInt8] {
            (bytes[54], bytes[56]) = (size, 1)
            #expect(throws: ELFError.entrySize(.programHeaders, expected: 56, found: UInt64(size))) {
                try headers(bytes)
            }
        }
        (bytes[54], bytes[56]) = (56, 1)
        #expect(try headers(bytes).count == 1)
    }

    @Test func `a segment holds what lies between its first and last byte`() throws {
        let one = try segments(.init(kind: 1, address: 0x100, fileSize: 1, memorySize: 0x10))[5]
        for (address, count) in [
            (0x100, 0), (0x100, 0x10), (0x10f, 1), (0x110, 0),
        ] as [(UInt64, UInt64)] { #expect(one.holds(address, count: count), "\(address), \(count)") }
        for (address, count) in [
            (0xff, 0), (0xff, 2), (0x100, 0x11), (0x110, 1), (0x111, 0), (0x10f, 2), (0x10f, .max), (.max, 0),
        ] as [(UInt64, UInt64)] { #expect(!one.holds(address, count: count), "\(address), \(count)") }
    }

    @Test func `an address is in the last segment that has bytes for it`() throws {
        let segments = try segments(
            .init(kind: 1, offset: 0x40, address: 0x3800, fileSize: 0x10, memorySize: 0x1000),
            .init(kind: 4, offset: 0x90, address: 0x3800, fileSize: 0x10),
            .init(kind: 1, offset: .max - 0xf, address: 0x3900, fileSize: 0x10))
        #expect(try segments.fileRange(from: 0, of: .note) == 0..<0x2000)
        #expect(try segments.fileRange(from: 0x1fff, of: .note) == 0x1fff..<0x2000)
        #expect(try segments.fileRange(from: 0x37ff, of: .note) == 0x27ff..<0x3000)
        #expect(try segments.fileRange(from: 0x3800, of: .note) == 0x40..<0x50)
        #expect(try segments.fileRange(from: 0x380f, of: .note) == 0x4f..<0x50)
        #expect(try segments.fileRange(from: 0x3810, of: .note) == 0x2810..<0x3000)
        // The last segment would end beyond all offsets.
        #expect(try segments.fileRange(from: 0x3900, of: .note) == 0x2900..<0x3000)
        for address in [0x2000, 0x2fff, 0x4000, .max] as [UInt64] {
            #expect(throws: ELFError.unmapped(.note, address: address)) {
                try segments.fileRange(from: address, of: .note)
            }
        }
    }
}
