// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// Input of which much, or all, is wrong: when a run counts as failed, and how much of it is told.
@Suite(.timeLimit(.minutes(10))) struct TurnedAwayTests {
    private let good = #"{"type":"counter/increment"}"#
    private let bad = "[1]"

    private func input(_ parts: (Int, String)...) -> String {
        parts.map { String(repeating: $1 + "\n", count: $0) }.joined()
    }

    @Test func `a run in which every line was rejected ends with 65 and says so`() throws {
        let outcome = try Scene.counter().run(input: "[1]\n\n[2]\n")
        #expect(
            outcome.errorLines.suffix(2) == [
                "gatehouse: no line was taken: 2 of 2 lines rejected or refused; give actions, or JSON of another form with --wrap",
                "gatehouse: 3 lines, 0 actions, 2 rejected, 1 blank",
            ])
        #expect(outcome.exitCode == 65)
    }

    @Test func `a run in which every line was refused ends with 65 too`() throws {
        let outcome = try Scene.counter(#""ingress": { "allow": ["x"] }, "#).run(input: good)
        #expect(outcome.exitCode == 65)
    }

    @Test func `blank lines alone are no failure`() throws {
        #expect(try Scene.counter().run(input: "\n\n").exitCode == 0)
    }

    @Test func `the run stops at the first rejected line above a number, prints the state and ends with 65`()
        throws
    {
        let outcome = try Scene.counter().run(
            ["--max-rejected", "2"], input: input((2, good), (3, bad), (5, good)))
        #expect(
            outcome.errorLines.suffix(2) == [
                "gatehouse: stopped with 3 of 5 lines rejected or refused, --max-rejected allows 2",
                "gatehouse: 5 lines, 2 actions, 3 rejected",
            ])
        #expect(outcome.output.contains("\"count\": 2"))
        #expect(outcome.exitCode == 65)
    }

    @Test(arguments: [("2", 2, 0), ("0", 0, 0), ("0", 1, 65), ("20%", 2, 0), ("19.9%", 2, 65), ("0%", 0, 0)])
    func `as many rejected lines as are allowed are no failure`(limit: String, count: Int, code: Int32)
        throws
    {
        let outcome = try Scene.counter().run(
            ["--max-rejected", limit], input: "\n" + input((10 - count, good), (count, bad)))
        #expect(outcome.exitCode == code)
    }

    @Test func `a part of the lines is looked at when all have been read`() throws {
        let outcome = try Scene.counter().run(
            ["--max-rejected=25%"], input: input((2, bad), (1, good)) + "\n" + input((2, good)))
        #expect(
            outcome.errorLines.suffix(2) == [
                "gatehouse: 2 of 5 lines rejected or refused, --max-rejected allows 25%",
                "gatehouse: 6 lines, 3 actions, 2 rejected, 1 blank",
            ])
        #expect(outcome.exitCode == 65)
    }

    @Test(arguments: ["many", "-1", "101%", "%", "1.5"])
    func `a limit that is no number is explained`(limit: String) throws {
        let outcome = try Scene.counter().run(["--max-rejected=\(limit)"])
        #expect(
            outcome.errors
                == "gatehouse: --max-rejected: expected a number of lines such as 100, or a percentage such as 2%, found \"\(limit)\"\n"
        )
        #expect(outcome.exitCode == 64)
    }

    @Test func `a limit beside --strict makes no sense`() throws {
        #expect(
            try Scene.counter().run(["--strict", "--max-rejected", "2"]).errors
                == "gatehouse: --strict and --max-rejected are both given; give one of them\n")
    }

    // MARK: - Reports that are alike

    @Test func `of reports that are alike the first hundred are told, the rest is counted at the end`() throws
    {
        let outcome = try Scene.counter().run(
            input: input((2_000, bad), (1, good), (1_100, #"{"type":7}"#), (3, "{")))
        let lines = outcome.errorLines
        #expect(lines.count == 100 + 100 + 3 + 2 + 1)
        #expect(lines[99].hasPrefix("standard input:100:1: expected an action"))
        #expect(lines[100].hasPrefix("standard input:2002:9: expected a string"))
        #expect(
            lines.suffix(4) == [
                "standard input:3104:2: expected a member name in double quotes, found the end of the text",
                #"… and 1,900 more like it, the last: standard input:2000:1: expected an action such as {"type":"orders/placed"}, found an array"#,
                #"… and 1,000 more like it, the last: standard input:3101:9: expected a string as "type", found an integer"#,
                "gatehouse: 3104 lines, 1 action, 3103 rejected",
            ])
    }

    @Test func `payloads that do not fit are folded by instance and what was expected`() throws {
        let outcome = try Scene.counter().run(
            input: (0..<150).map { "{\"type\":\"counter/increment\",\"payload\":{\"by\":\"\($0)\"}}\n" }
                .joined())
        #expect(outcome.errorLines.count == 102)
        #expect(
            outcome.errorLines.suffix(2) == [
                "… and 50 more like it, the last: standard input:150:45: counter/increment for counter: the payload does not fit: /by: expected an integer, found a string",
                "gatehouse: 150 lines, 150 actions, 0 rejected, 150 refused or not decodable",
            ])
    }

    @Test func `what plugins write is never folded`() throws {
        let scene = try Scene(#"{ "plugins": [{ "id": "logger" }] }"#, libraries: ["LoggerPlugin"])
        let outcome = try scene.run(input: input((150, #"{"type":"a"}"#)))
        #expect(outcome.errorLines.count == 151)
    }
}
