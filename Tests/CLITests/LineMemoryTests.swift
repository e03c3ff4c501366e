// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// How much memory one long line takes.
@Suite struct LineMemoryTests {
    /// The size of a line in bytes.
    private static let size = 3 << 20

    /// A text that is repeated to the size of a line.
    private static func repeated(_ text: String) -> String {
        String(repeating: text, count: size / text.utf8.count)
    }

    /// What the peak of a run grows by while it takes some lines, as a multiple of their length.
    private func growth(_ line: String, _ scene: Scene, lines: Int = 1) throws -> Double {
        let child = try scene.start(["--print", "none"])
        child.write("mark\n")
        try child.waitForErrors("standard input:1:1: ")
        let before = try child.peakMemory()
        child.write(line + "\nmark\n")
        try child.waitForErrors("standard input:\(lines + 2):1: ")
        let grown = try child.peakMemory() - before
        child.closeInput()
        #expect(try child.finish().errorLines.last?.hasPrefix("gatehouse: \(lines + 2) lines, ") == true)
        return Double(grown) / Double(line.utf8.count)
    }

    @Test(arguments: [
        #"{"type":"a","payload":"\#(repeated("x"))"}"#, #"{"type":"a","payload":"\#(repeated("\\u00e9"))"}"#,
        #"{"type":"a","payload":[\#(repeated("1,"))1]}"#, #"{"type":"a","payload":[\#(repeated("[],"))1]}"#,
        #"{"type":"a","payload":[\#(repeated(#"{"id":12345,"name":"some name","tags":["a","b"]},"#))1]}"#,
        #"{"type":"a","meta":{"a":[\#(repeated("1,"))1]}}"#,
    ])
    func `a line that nobody reads takes at most four times its length, whatever is in it`(line: String)
        throws
    {
        #expect(try growth(line, Scene("{}")) < 4)
    }

    @Test(arguments: [
        #"{"type":"a","payload":[\#(repeated("1,"))]}"#, #"{"type":"a","payload":[\#(repeated("[],"))"#,
        #"{"type":"a",\#(repeated(#""a":1,"#))"b":2}"#, #"[\#(repeated("1,"))1]"#, repeated("["),
    ])
    func `a line that is rejected takes at most four times its length`(line: String) throws {
        #expect(try growth(line, Scene("{}")) < 4)
    }

    @Test(arguments: [
        repeated("x"), repeated(#"","sku":"A-1234567890","count":17,"text":"a sentence of six words or so"#),
    ])
    func `a line that is heard takes at most four times its length where most of it is text`(text: String)
        throws
    {
        let line = #"{"type":"counter/increment","payload":{"by":1,"more":{"text":"\#(text)"}}}"#
        #expect(try growth(line, Scene.counter()) < 4)
    }

    @Test func `the memory of a long line is given back`() throws {
        let line = #"{"type":"counter/increment","payload":{"by":1,"more":[\#(Self.repeated("1,"))1]}}"#
        let once = try growth(line, Scene.counter())
        let often = try growth(
            Array(repeating: line, count: 4).joined(separator: "\n"), Scene.counter(), lines: 4)
        #expect(often * 4 < once + 2, "\(once) for one, \(often * 4) for four")
    }
}
