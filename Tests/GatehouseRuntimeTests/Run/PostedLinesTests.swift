// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseRuntime

/// Lines in one piece, taken one after the other.
@Suite(.timeLimit(.minutes(10))) struct PostedLinesTests {
    /// What is read of a text, so many lines in each turn.
    private func lines(of text: String, longest: Int = 100, atOnce: Int = .max) -> [String] {
        var posted = PostedLines(Array(text.utf8))
        var read: [String] = []
        while !posted.areRead {
            var left = atOnce
            posted.read(longest: longest) { event in
                switch event {
                case .line(let line):
                    read.append(unsafe "\(line.number): " + String(decoding: line.bytes, as: UTF8.self))
                case .tooLong(let line, let bytes): read.append("\(line): \(bytes) bytes")
                case .interrupted, .dry, .end: read.append("unexpected")
                }
                left -= 1
                return left > 0
            }
        }
        return read
    }

    @Test(
        arguments: [
            ("", []), ("a", ["1: a"]), ("a\n", ["1: a"]), ("\n", ["1: "]),
            ("a\n\nb", ["1: a", "2: ", "3: b"]),
            ("a\r\nb\r\n", ["1: a", "2: b"]), ("\r", ["1: "]), ("a\rb", ["1: a\rb"]),
        ] as [(String, [String])])
    func `a text has the lines that an input with it has`(text: String, expected: [String]) {
        #expect(lines(of: text) == expected)
        #expect(lines(of: text, atOnce: 1) == expected)
    }

    @Test func `a line that is too long is told, and the next is read`() {
        #expect(
            lines(of: "abc\nabcd\nabcd\r\nab", longest: 3) == ["1: abc", "2: 4 bytes", "3: 4 bytes", "4: ab"])
    }

    @Test func `a parser may read beyond each line, also the last`() {
        var posted = PostedLines(Array("ab".utf8))
        posted.read(longest: 10) { event in
            guard case .line(let line) = event, let start = unsafe line.bytes.baseAddress else {
                return false
            }
            for place in 2..<(2 + LineReader.padding) {
                #expect(unsafe start.load(fromByteOffset: place, as: UInt8.self) == 0)
            }
            return true
        }
        #expect(posted.count == 1)
    }
}
