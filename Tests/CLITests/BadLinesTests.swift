// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import SeededTesting
import Testing

/// Lines that are no action: each is reported with its place, counted and skipped.
@Suite(.timeLimit(.minutes(10))) struct BadLinesTests {
    private let good = #"{"type":"counter/increment"}"#

    /// The state that `count` increments leave.
    private func state(_ count: Int) -> String { "{\n  \"counter\": {\n    \"count\": \(count)\n  }\n}\n" }

    @Test(arguments: [
        (#"{"type":"counter/increment""#, "2:28: expected ',' or '}', found the end of the text"),
        (
            #"{"payload":1}"#,
            "2:1: expected the member \"type\", found an object without it; name the action there"
        ),
        (#"{"type":7}"#, "2:9: expected a string as \"type\", found an integer"),
        (#"[1]"#, "2:1: expected an action such as {\"type\":\"orders/placed\"}, found an array"),
        (#"{"type":"a","error":1}"#, "2:21: expected true or false as \"error\", found an integer"),
        (
            #"{"type":"a","playload":1}"#,
            "2:13: expected only the members type, payload, error and meta, found \"playload\"; did you mean \"payload\"?"
        ),
        (
            #"{"type":"a","type":"b"}"#,
            "2:13: expected the member \"type\" once, found it again after column 2; remove one of them"
        ),
        (
            #"{"type":"counter/increment","payload":{"by":"two"}}"#,
            "2:45: counter/increment for counter: the payload does not fit: /by: expected an integer, found a string"
        ),
        (
            #"{"type":"host/\u001b[31m\nx"}"#,
            "2: host/\\u{1B}[31m\\nx: there is no such host action; expected \"host/gate/open\", \"host/gate/close\", \"host/state/merge\" or \"host/reload\""
        ),
        (
            #"{"type":"host/gate/close","payload":"counter"}"#,
            "2: host/gate/close: input may not carry host actions; allow this one in \"ingress\"/\"allow\""
        ),
    ])
    func `a bad line is reported with file, line, column and reason, and the rest is processed`(
        line: String, report: String
    ) throws {
        let scene = try Scene.counter()
        try scene.folder.write("\(good)\n\(line)\n\(good)\n", to: "input.ndjson")
        let outcome = try scene.run(["--input", "input.ndjson"])
        #expect(outcome.errorLines.first == "input.ndjson:\(report)")
        #expect(outcome.errorLines.count == 2)
        #expect(outcome.output == state(2))
        #expect(outcome.exitCode == 0)
    }

    @Test func `a strict run stops at the first bad line with 65 and still prints the state`() throws {
        let outcome = try Scene.counter().run(["--strict"], input: "\(good)\n{\"type\":\n\(good)\n")
        #expect(
            outcome.errors == """
                standard input:2:9: expected a value, found the end of the text
                gatehouse: 2 lines, 1 action, 1 rejected, stopped at bad data (--strict)

                """)
        #expect(outcome.output == state(1))
        #expect(outcome.exitCode == 65)
    }

    @Test func `a strict run over good lines ends with 0`() throws {
        let outcome = try Scene.counter().run(["--strict"], input: "\(good)\n")
        #expect(outcome.errors == "gatehouse: 1 line, 1 action, 0 rejected\n")
        #expect(outcome.exitCode == 0)
    }

    @Test func `bytes that are not UTF-8 are reported with their place`() throws {
        let outcome = try Scene.counter().run(
            input: Array("{\"type\":\"a\u{e9}".utf8) + [0xff] + Array("\"}\n\(good)\n".utf8))
        #expect(
            outcome.errorLines == [
                "standard input:1:12: expected UTF-8, found the byte 0xFF at byte 13 of the line, which does not belong there; write the input as UTF-8",
                "gatehouse: 2 lines, 1 action, 1 rejected",
            ])
        #expect(outcome.output == state(1))
    }

    @Test func `empty lines are legal and counted apart`() throws {
        let outcome = try Scene.counter().run(["--strict"], input: "\n\(good)\n  \t\r\n\n")
        #expect(outcome.errors == "gatehouse: 4 lines, 1 action, 0 rejected, 3 blank\n")
        #expect(outcome.exitCode == 0)
    }

    @Test(arguments: ["", "\n", "\r\n"])
    func `the last line may lack its line feed`(ending: String) throws {
        let outcome = try Scene.counter().run(input: "\(good)\r\n\(good)\(ending)")
        #expect(outcome.errors == "gatehouse: 2 lines, 2 actions, 0 rejected\n")
        #expect(outcome.output == state(2))
    }

    @Test func `a line of 10 megabytes is processed`() throws {
        let padding = String(repeating: "x", count: 10 << 20)
        let outcome = try Scene.counter().run(
            input: #"{"type":"counter/increment","payload":{"by":2,"padding":"\#(padding)"}}"# + "\n\(good)\n"
        )
        #expect(outcome.errors == "gatehouse: 2 lines, 2 actions, 0 rejected\n")
        #expect(outcome.output == state(3))
    }

    @Test func `a line above the limit is reported with its length and skipped`() throws {
        let padding = String(repeating: "x", count: 10 << 20)
        let outcome = try Scene.counter(#""ingress": { "maximumLineBytes": 1048576 }, "#).run(
            input: "\(good)\n{\"type\":\"\(padding)\"}\n\(good)\n")
        #expect(
            outcome.errorLines == [
                "standard input:2:1: expected at most 1048576 bytes in a line, found 10485771; split the action or raise \"ingress\"/\"maximumLineBytes\"",
                "gatehouse: 3 lines, 2 actions, 1 rejected",
            ])
        #expect(outcome.output == state(2))
    }

    @Test func `no bytes at all are an empty run`() throws {
        let outcome = try Scene.counter().run()
        #expect(outcome.errors == "gatehouse: 0 lines, 0 actions, 0 rejected\n")
        #expect(outcome.output == state(0))
        #expect(outcome.exitCode == 0)
    }

    @Test func `random bytes never crash the program`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let template = Array(
            "{\"type\":\"counter/increment\",\"payload\":{\"by\":1,\"é\":[null,1e9]}}\n".utf8)
        var input: [UInt8] = []
        for _ in 0..<3_000 {
            var line = template
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                line[Int.random(in: 0..<line.count - 1, using: &generator)] = .random(
                    in: .min ... .max, using: &generator)
            }
            input += line
        }
        let outcome = try Scene.counter().run(input: input)
        #expect(outcome.exitCode == 0, "seed \(seed)")
        #expect(outcome.errorLines.last?.hasPrefix("gatehouse: ") == true, "seed \(seed)")
    }
}
