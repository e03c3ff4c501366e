// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseLibrary

@Suite(.timeLimit(.minutes(10))) struct ELFNoteTests {
    /// The notes in the bytes of a segment, whose alignment is given.
    private func notes(_ content: [UInt8], alignment: UInt64 = 4, size: UInt64? = nil) throws -> [ELFNote] {
        let library = RawLibrary(others: [
            .init(
                kind: 4, offset: RawLibrary.size, fileSize: size ?? UInt64(content.count),
                alignment: alignment)
        ])
        return try ELFImage(reading: library.bytes + content).notes
    }

    /// A note's three numbers.
    private func head(_ name: UInt8, _ content: UInt8, _ type: UInt8) -> [UInt8] {
        [name, 0, 0, 0, content, 0, 0, 0, type, 0, 0, 0]
    }

    @Test func `owner and content are padded to four bytes`() throws {
        let found = try notes(
            head(5, 3, 7) + Array("abcd\0\0\0\0".utf8) + [1, 2, 3, 9] + head(4, 4, 8) + Array("wxyz".utf8)
                + [4, 5, 6, 7])
        #expect(found.map(\.owner) == ["abcd", "wxyz"])
        #expect(found.map(\.type) == [7, 8])
        #expect(found.map(\.content) == [[1, 2, 3], [4, 5, 6, 7]])
    }

    @Test(arguments: [0, 1, 4, 7, 9, 16] as [UInt64])
    func `only an alignment of eight pads to eight`(alignment: UInt64) throws {
        let four = head(4, 1, 1) + Array("abc\0".utf8) + [1, 0, 0, 0] + head(0, 0, 2)
        #expect(try notes(four, alignment: alignment).map(\.type) == [1, 2])
        let name = Array("abcd\0".utf8) + [UInt8](repeating: 0, count: 7)
        let content = [1] + [UInt8](repeating: 0, count: 7)
        let end = head(0, 0, 2) + [UInt8](repeating: 0, count: 4)
        let eight = head(5, 1, 1) + name + content + end
        let found = try notes(eight, alignment: 8)
        #expect(found.map(\.type) == [1, 2])
        #expect(found.map(\.content) == [[1], []])
    }

    @Test func `the owner ends at its first zero`() throws {
        #expect(try notes(head(4, 0, 1) + Array("a\0b\0".utf8)).map(\.owner) == ["a"])
        #expect(try notes(head(0, 0, 1)).map(\.owner) == [""])
    }

    @Test func `a remainder shorter than the numbers is padding`() throws {
        #expect(try notes(head(0, 0, 1) + [UInt8](repeating: 255, count: 11)).count == 1)
        #expect(try notes(head(0, 0, 1) + head(0, 0, 2)).count == 2)
        #expect(try notes([UInt8](repeating: 255, count: 11)) == [])
    }

    @Test func `a note may end with its segment, without its padding`() throws {
        #expect(try notes(head(0, 5, 1) + [1, 2, 3, 4, 5]).map(\.content) == [[1, 2, 3, 4, 5]])
        #expect(
            throws: ELFError.truncated(.note, offset: RawLibrary.size, expected: 18, found: 17)
        ) { try notes(head(0, 6, 1) + [1, 2, 3, 4, 5]) }
        #expect(
            throws: ELFError.truncated(.note, offset: RawLibrary.size + 12, expected: 16, found: 12)
        ) { try notes(head(0, 0, 1) + head(4, 0, 1)) }
    }

    @Test func `a segment with notes lies in the file`() {
        #expect(throws: ELFError.truncated(.note, offset: RawLibrary.size, expected: 13, found: 12)) {
            try notes(head(0, 0, 1), size: 13)
        }
        #expect(throws: ELFError.truncated(.note, offset: RawLibrary.size, expected: 2 << 20, found: 12)) {
            try notes(head(0, 0, 1), size: 2 << 20)
        }
    }

    @Test func `1024 notes are read, and no more`() throws {
        let most = (0..<1_024).flatMap { _ in head(0, 0, 1) }
        #expect(try notes(most).count == 1_024)
        #expect(throws: ELFError.excessive(.note, limit: 1_024, found: 1_025)) {
            try notes(most + head(0, 0, 1))
        }
    }

    @Test func `a mebibyte of notes is read, and no more`() throws {
        let size = 1 << 20
        // One note that takes it all.
        let bytes = [0, 0, 0, 0, 0xf4, 0xff, 0x0f, 0, 1, 0, 0, 0] + [UInt8](repeating: 3, count: size - 12)
        let half = RawLibrary.Segment(
            kind: 4, offset: RawLibrary.size, fileSize: UInt64(size), alignment: 4)
        let library = RawLibrary(others: [half])
        #expect(try ELFImage(reading: library.bytes + bytes).notes.map(\.content.count) == [size - 12])
        var more = library
        more.others.append(.init(kind: 4, offset: 0, fileSize: 1, alignment: 4))
        #expect(throws: ELFError.excessive(.note, limit: 1 << 20, found: 1 << 20 + 1)) {
            try ELFImage(reading: more.bytes + bytes)
        }
    }

    @Test func `only segments of notes have notes, read in the order of the table`() throws {
        let bytes = head(0, 0, 1) + head(0, 0, 2)
        let library = RawLibrary(others: [
            .init(kind: 4, offset: RawLibrary.size + 12, fileSize: 12, alignment: 4),
            .init(kind: 3, offset: RawLibrary.size, fileSize: 12, alignment: 4),
            .init(kind: 4, offset: RawLibrary.size, fileSize: 12, alignment: 4),
        ])
        #expect(try ELFImage(reading: library.bytes + bytes).notes.map(\.type) == [2, 1])
        let alone = try unsafe (library.bytes + bytes).withUnsafeBytes {
            try unsafe ELFNote.all(in: $0, loadedBy: nil)
        }
        #expect(alone.map(\.type) == [2, 1])
    }
}
