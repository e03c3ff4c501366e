// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Lines that a task has brought in one piece, and how far they are read.
package struct PostedLines: Sendable {
    /// The lines, and after them what a parser may read beyond the last one.
    private var bytes: [UInt8]
    /// Where the lines end.
    private let end: Int
    /// Where the next line begins.
    private var start = 0
    /// How many lines were read.
    private(set) var count = 0

    /// Lines of which none is read.
    init(_ bytes: [UInt8]) {
        end = bytes.count
        self.bytes = bytes
        self.bytes.append(contentsOf: repeatElement(0, count: LineReader.padding))
    }

    /// Whether there is no line left; a text without any has none.
    var areRead: Bool { start >= end }

    /// Reads lines as long as there are some and the closure asks for more.
    ///
    /// - Parameters:
    ///   - longest: a line beyond this many bytes is told as too long.
    ///   - body: takes a line, which is there during the call; returns whether it wants another one.
    package mutating func read(longest: Int, _ body: (LineEvent) -> Bool) {
        var (start, count) = (start, count)
        unsafe bytes.withUnsafeBytes { all in
            var wantsMore = true
            while wantsMore, start < end {
                let rest = unsafe UnsafeRawBufferPointer(rebasing: all[start..<end])
                let found = unsafe rest.baseAddress.flatMap { unsafe memchr($0, 0x0A, rest.count) }
                let length =
                    unsafe found.map {
                        unsafe UnsafeRawPointer($0) - all.baseAddress.unsafelyUnwrapped - start
                    }
                    ?? rest.count
                var line = unsafe UnsafeRawBufferPointer(rebasing: rest[..<length])
                if unsafe line.last == UInt8(ascii: "\r") {
                    unsafe line = UnsafeRawBufferPointer(rebasing: line.dropLast())
                }
                start += length + 1
                count += 1
                wantsMore =
                    line.count > longest
                    ? body(.tooLong(line: count, bytes: line.count))
                    : body(.line(unsafe InputLine(bytes: line, number: count)))
            }
        }
        (self.start, self.count) = (start, count)
    }
}
