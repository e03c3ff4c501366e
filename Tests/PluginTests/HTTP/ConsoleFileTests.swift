// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPPlugin

@Suite(.timeLimit(.minutes(10))) struct ConsoleFileTests {
    @Test func `a file is named by the first half of its digest`() {
        let file = ConsoleFile("/a.css", "text/css", Array("abc".utf8))
        #expect(file.etag == "\"ba7816bf8f01cfea414140de\"")
        #expect(file.path == "/a.css")
        #expect(file.type == "text/css")
        #expect(file.plain == Array("abc".utf8))
    }

    @Test func `a file that repeats itself becomes small, in the format of gzip`() throws {
        let file = ConsoleFile("/a", "text/plain", [UInt8](repeating: 97, count: 10_000))
        let gzip = try #require(file.gzip)
        #expect(gzip.starts(with: [0x1f, 0x8b, 8]))
        #expect(gzip.count < 60)
        // The last four bytes are the size of the whole.
        #expect(gzip.suffix(4) == [0x10, 0x27, 0, 0])
    }
}
