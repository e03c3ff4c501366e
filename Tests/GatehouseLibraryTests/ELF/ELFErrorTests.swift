// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct ELFErrorTests {
    /// The error that reading the bytes gives, or nil.
    private func error(reading bytes: [UInt8]) -> ELFError? {
        do {
            _ = try ELFImage(reading: bytes)
            return nil
        } catch {
            return error
        }
    }

    /// The complete file with some bytes replaced.
    private func complete(with changes: [Int: UInt8]) -> [UInt8] {
        var bytes = ELFBuilder.complete.bytes()
        for (offset, byte) in changes { bytes[offset] = byte }
        return bytes
    }

    @Test func `an empty file is not ELF`() {
        #expect(error(reading: []) == .notELF(found: []))
        #expect(
            error(reading: [])?.description
                == "expected an ELF file starting with 7f 45 4c 46, found an empty file; "
                + "name a shared library built for Linux")
    }

    @Test func `another kind of file is not ELF`() {
        let script = Array("#!/bin/sh\n".utf8)
        #expect(error(reading: script) == .notELF(found: [0x23, 0x21, 0x2f, 0x62]))
        #expect(
            error(reading: script)?.description
                == "expected an ELF file starting with 7f 45 4c 46, found 23 21 2f 62; "
                + "name a shared library built for Linux")
    }

    @Test func `a 32-bit file is recognised`() {
        #expect(error(reading: complete(with: [4: 1])) == .is32Bit)
        #expect(
            ELFError.is32Bit.description
                == "expected a 64-bit ELF file, found a 32-bit one; build the plugin for a 64-bit target")
    }

    @Test func `a big-endian file is recognised`() {
        #expect(error(reading: complete(with: [5: 2])) == .isBigEndian)
        #expect(
            ELFError.isBigEndian.description
                == "expected a little-endian ELF file, found a big-endian one; "
                + "build the plugin for the host's architecture")
    }

    @Test(
        arguments: [
            (4, "class", 2), (5, "byte order", 1), (6, "ELF version", 1),
        ] as [(Int, String, UInt8)])
    func `an undefined identification byte is named`(offset: Int, field: String, expected: UInt8) {
        let found = error(reading: complete(with: [offset: 9]))
        #expect(
            found
                == .unknownIdentification(
                    field: field, offset: UInt64(offset), expected: expected, found: 9))
        #expect(
            found?.description
                == "expected \(field) \(expected) at offset \(offset), found 9; "
                + "the file is damaged, build or copy it again")
    }

    @Test func `a file cut off inside its header says where`() {
        let found = error(reading: Array(ELFBuilder.complete.bytes().prefix(40)))
        #expect(found == .truncated(.header, offset: 0, expected: 64, found: 40))
        #expect(
            found?.description
                == "the ELF header needs 64 bytes at offset 0, found 40; the file is cut off or damaged, "
                + "build or copy it again")
    }

    @Test func `a program header of another size is refused`() {
        let found = error(reading: complete(with: [54: 32]))
        #expect(found == .entrySize(.programHeaders, expected: 56, found: 32))
        #expect(
            found?.description
                == "the program header table: expected entries of 56 bytes, found entries of 32; "
                + "the file is damaged, build or copy it again")
    }

    @Test func `too many program headers are refused`() {
        let found = error(reading: complete(with: [56: 0xff, 57: 0xff]))
        #expect(found == .excessive(.programHeaders, limit: 512, found: 65_535))
        #expect(
            found?.description
                == "the program header table: expected at most 512, found 65535; "
                + "the file is damaged or hostile, do not load it")
    }

    @Test func `a note that leaves its segment is refused`() {
        // The content size of the first note follows the five program headers and its name size.
        let start = 64 + 56 * 5
        let found = error(reading: complete(with: [start + 4: 200]))
        #expect(found == .truncated(.note, offset: UInt64(start), expected: 216, found: 52))
    }

    @Test func `symbols without a hash table cannot be counted`() {
        var builder = ELFBuilder.complete
        builder.hash = .none
        let found = error(reading: builder.bytes())
        #expect(found == .missing(.hashTable, tag: "DT_HASH or DT_GNU_HASH"))
        #expect(
            found?.description
                == "the symbol hash table: expected an entry DT_HASH or DT_GNU_HASH in the dynamic section, "
                + "found none; the file is damaged, build or copy it again")
    }

    @Test func `a hash table that is cut off in its first number says all that it needs`() throws {
        var bytes = ELFBuilder.complete.bytes()
        let tag: [UInt8] = [0xf5, 0xfe, 0xff, 0x6f, 0, 0, 0, 0]
        let entry = try #require(bytes.firstRange(of: tag))
        // The dynamic section is the end of the file, and its addresses are a page further on than others.
        let offset = UInt64(bytes.count - 3)
        for byte in 0..<8 {
            bytes[entry.upperBound + byte] = UInt8(truncatingIfNeeded: (offset + 0x2000) >> (byte * 8))
        }
        #expect(error(reading: bytes) == .truncated(.hashTable, offset: offset, expected: 16, found: 3))
    }

    @Test func `an address outside the loaded segment is refused`() {
        // The loaded segment is the first; its size in the file stands 32 bytes into the header.
        var bytes = ELFBuilder.complete.bytes()
        for offset in 0..<8 { bytes[64 + 32 + offset] = 0 }
        let found = error(reading: bytes)
        guard case .unmapped(.stringTable, _) = found else {
            Issue.record("found \(String(describing: found))")
            return
        }
        #expect(
            ELFError.unmapped(.stringTable, address: 0x1234).description
                == "the dynamic string table: expected an address inside a loaded segment, found 0x1234; "
                + "the file is damaged, build or copy it again")
    }

    @Test func `a string without an end says where it starts`() {
        #expect(
            ELFError.unterminated(.string, offset: 12, limit: 65_535).description
                == "a string of the dynamic string table at offset 12: expected a terminating zero within "
                + "65535 bytes and inside its table, found none; the file is damaged, build or copy it again")
    }

    @Test func `a name longer than any real one is refused`() {
        let name = String(repeating: "x", count: 65_536)
        let found = error(reading: ELFBuilder(symbols: [.init(name: name)]).bytes())
        guard case .unterminated(.string, _, limit: 65_535) = found else {
            Issue.record("found \(String(describing: found))")
            return
        }
        let longest = String(name.dropLast())
        #expect(error(reading: ELFBuilder(symbols: [.init(name: longest)]).bytes()) == nil)
    }

    @Test func `bytes are two digits each, and one byte is no bytes`() {
        #expect(
            ELFError.notELF(found: [0, 15, 16, 255]).description
                == "expected an ELF file starting with 7f 45 4c 46, found 00 0f 10 ff; "
                + "name a shared library built for Linux")
        for (expected, found, sentence) in [
            (1, 0, "needs 1 byte at offset 3, found none"), (0, 1, "needs 0 bytes at offset 3, found 1"),
            (2, 1, "needs 2 bytes at offset 3, found 1"),
        ] as [(UInt64, UInt64, String)] {
            #expect(
                ELFError.truncated(.note, offset: 3, expected: expected, found: found).description
                    == "a note \(sentence); the file is cut off or damaged, build or copy it again")
        }
    }
}
