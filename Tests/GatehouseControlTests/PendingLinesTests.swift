// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseControl

/// Bytes of a client that become lines.
@Suite(.timeLimit(.minutes(10))) struct PendingLinesTests {
    /// All whole lines that wait, as texts.
    private func take(_ lines: inout PendingLines) -> [String] {
        var taken: [String] = []
        while let line = lines.next() { taken.append(String(decoding: line, as: UTF8.self)) }
        return taken
    }

    @Test(arguments: 1...8) func `lines are the same in whatever pieces they come`(size: Int) {
        let bytes = Array("one\n\ntwo three\nfour".utf8)
        var lines = PendingLines()
        var taken: [String] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            lines.append(bytes[start..<min(start + size, bytes.count)])
            taken += take(&lines)
        }
        #expect(taken == ["one", "", "two three"])
        #expect(lines.count == 4)
        lines.append([UInt8(ascii: "\n")][...])
        #expect(take(&lines) == ["four"])
        #expect(lines.count == 0)
    }

    @Test func `nothing is a line before anything has come, and an empty one may be the first`() {
        var lines = PendingLines()
        #expect(lines.next() == nil)
        lines.append(Array("\nrest\n".utf8)[...])
        #expect(take(&lines) == ["", "rest"])
    }

    @Test func `only what waits is counted, also when many lines before it were taken`() {
        var lines = PendingLines()
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 9_999) + [UInt8(ascii: "\n")]
        for _ in 0..<20 { lines.append(line[...]) }
        lines.append(Array("rest".utf8)[...])
        for left in (0..<20).reversed() {
            #expect(lines.next()?.count == 9_999)
            #expect(lines.count == left * 10_000 + 4)
        }
        #expect(lines.next() == nil)
        lines.append(Array("\n".utf8)[...])
        #expect(take(&lines) == ["rest"])
    }
}
