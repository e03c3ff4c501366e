// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseLibrary
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct ByteReaderTests {
    /// The string at the start of a text, in a table that ends where asked.
    private func string(of text: String, before end: UInt64, limit: UInt64) throws -> String {
        let bytes = Array(text.utf8)
        return try unsafe bytes.withUnsafeBytes {
            try unsafe ByteReader($0).string(at: 0, before: end, limit: limit, of: .string)
        }
    }

    @Test(arguments: [3, 4, 9] as [UInt64])
    func `a string ends before its table does, whatever comes after it`(limit: UInt64) {
        #expect(throws: ELFError.unterminated(.string, offset: 0, limit: limit)) {
            try string(of: "abcd\0", before: 4, limit: limit)
        }
    }

    @Test(arguments: [4, 5] as [UInt64])
    func `a string may be as long as the limit, its zero not counted`(limit: UInt64) throws {
        #expect(try string(of: "abcd\0", before: 5, limit: limit) == "abcd")
    }

    @Test func `a string is found from its offset on, and not beyond the file`() throws {
        let bytes = Array("ab\0cd\0".utf8)
        func string(at offset: UInt64, before end: UInt64, limit: UInt64 = 9) throws -> String {
            try unsafe bytes.withUnsafeBytes {
                try unsafe ByteReader($0).string(at: offset, before: end, limit: limit, of: .string)
            }
        }
        #expect(try string(at: 0, before: 6) == "ab")
        #expect(try string(at: 3, before: .max) == "cd")
        #expect(try string(at: 5, before: 6) == "")
        #expect(try string(at: 2, before: 6, limit: 0) == "")
        for (offset, end, limit) in [(6, 6, 9), (7, 9, 9), (3, 3, 9), (3, 5, 9), (3, 6, 1), (.max, .max, 9)]
            as [(UInt64, UInt64, UInt64)]
        {
            #expect(throws: ELFError.unterminated(.string, offset: offset, limit: limit)) {
                try string(at: offset, before: end, limit: limit)
            }
        }
    }

    @Test func `a run of bytes lies in the file, or the error says how many remain`() throws {
        let bytes: [UInt8] = [1, 2, 3, 4, 5]
        try unsafe bytes.withUnsafeBytes { (buffer) throws in
            let reader = unsafe ByteReader(buffer)
            #expect(unsafe reader.count == 5)
            #expect(try unsafe reader.copy(at: 1, count: 4, of: .note) == [2, 3, 4, 5])
            #expect(try unsafe reader.copy(at: 5, count: 0, of: .note) == [])
            #expect(try unsafe reader.integer(UInt32.self, at: 1, of: .note) == 0x0504_0302)
            for (offset, count, found) in [
                (1, 5, 4), (5, 1, 0), (6, 0, 0), (.max, .max, 0), (0, .max, 5),
            ] as [(UInt64, UInt64, UInt64)] {
                #expect(
                    throws: ELFError.truncated(.note, offset: offset, expected: count, found: found)
                ) { try unsafe reader.copy(at: offset, count: count, of: .note) }
            }
        }
    }

    /// Keeps which bytes are asked for.
    private final class Recorder: ByteLoading {
        var ranges: [Range<Int>] = []

        func load(_ range: Range<Int>) { ranges.append(range) }
    }

    @Test func `bytes are brought in before they are read, and only those`() throws {
        let recorder = Recorder()
        try unsafe Array("abcd\0fgh".utf8).withUnsafeBytes {
            let reader = unsafe ByteReader($0, loadedBy: recorder)
            _ = try unsafe reader.integer(UInt16.self, at: 1, of: .note)
            _ = try unsafe reader.copy(at: 4, count: 4, of: .note)
            _ = try unsafe reader.string(at: 2, before: 7, limit: 3, of: .note)
            _ = try unsafe reader.string(at: 2, before: 7, limit: 5, of: .note)
            _ = try unsafe reader.string(at: 2, before: 7, limit: 9, of: .note)
            try unsafe reader.require(at: 0, count: 8, of: .note)
        }
        #expect(recorder.ranges == [1..<3, 4..<8, 2..<6, 2..<7, 2..<7])
    }
}
