// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// How much memory one long line takes.
@Suite(.timeLimit(.minutes(10))) struct LineMemoryTests {
    /// The size of a line in bytes.
    private static let size = 3 << 20

    /// A line in which one text is repeated until it is as long as a line may be; a report names the text alone.
    struct LongLine: CustomTestStringConvertible {
        let prefix, part, suffix: String

        init(_ prefix: String, _ part: String, _ suffix: String) {
            (self.prefix, self.part, self.suffix) = (prefix, part, suffix)
        }

        var text: String { prefix + String(repeating: part, count: size / part.utf8.count) + suffix }
        var testDescription: String { "\(prefix)\(part)…\(suffix)" }
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
        LongLine(#"{"type":"a","payload":""#, "x", #""}"#),
        LongLine(#"{"type":"a","payload":""#, "\\u00e9", #""}"#),
        LongLine(#"{"type":"a","payload":["#, "1,", "1]}"),
        LongLine(#"{"type":"a","payload":["#, "[],", "1]}"),
        LongLine(
            #"{"type":"a","payload":["#, #"{"id":12345,"name":"some name","tags":["a","b"]},"#, "1]}"),
        LongLine(#"{"type":"a","meta":{"a":["#, "1,", "1]}}"),
    ])
    func `a line that nobody reads takes at most four times its length, whatever is in it`(line: LongLine)
        throws
    {
        #expect(try growth(line.text, Scene("{}")) < 4)
    }

    @Test(arguments: [
        LongLine(#"{"type":"a","payload":["#, "1,", "]}"), LongLine(#"{"type":"a","payload":["#, "[],", ""),
        LongLine(#"{"type":"a","#, #""a":1,"#, #""b":2}"#), LongLine("[", "1,", "1]"), LongLine("", "[", ""),
    ])
    func `a line that is rejected takes at most four times its length`(line: LongLine) throws {
        #expect(try growth(line.text, Scene("{}")) < 4)
    }

    @Test(arguments: ["x", #"","sku":"A-1234567890","count":17,"text":"a sentence of six words or so"#])
    func `a line that is heard takes at most four times its length where most of it is text`(part: String)
        throws
    {
        let line = LongLine(
            #"{"type":"counter/increment","payload":{"by":1,"more":{"text":""#, part, #""}}}"#)
        #expect(try growth(line.text, Scene.counter()) < 4)
    }

    @Test func `the memory of a long line is given back`() throws {
        let line = LongLine(#"{"type":"counter/increment","payload":{"by":1,"more":["#, "1,", "1]}}").text
        let once = try growth(line, Scene.counter())
        let often = try growth(
            Array(repeating: line, count: 4).joined(separator: "\n"), Scene.counter(), lines: 4)
        #expect(often * 4 < once + 2, "\(once) for one, \(often * 4) for four")
    }
}
