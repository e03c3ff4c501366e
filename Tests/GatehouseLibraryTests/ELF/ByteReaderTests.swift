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
    func `a string ends before its table does, whatever is behind it`(limit: UInt64) {
        #expect(throws: ELFError.unterminated(.string, offset: 0, limit: limit)) {
            try string(of: "abcd\0", before: 4, limit: limit)
        }
    }

    @Test(arguments: [4, 5] as [UInt64])
    func `a string may be as long as the limit, its zero not counted`(limit: UInt64) throws {
        #expect(try string(of: "abcd\0", before: 5, limit: limit) == "abcd")
    }
}
