// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// The log of a host as JSON lines, and its levels.
@Suite(.timeLimit(.minutes(10))) struct JSONLogTests {
    /// The entries of a log, each of which is an object on one line.
    private func entries(_ errors: String) throws -> [Value] {
        try errors.split(separator: "\n").map { line in
            let entry = try JSONText.parse(Array(line.utf8))
            let time = try #require(entry["time"]?.stringValue)
            #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
            return entry
        }
    }

    /// The levels and messages of a log.
    private func told(_ errors: String) throws -> [String] {
        try entries(errors).map { "\($0["level"]?.stringValue ?? "") \($0["message"]?.stringValue ?? "")" }
    }

    @Test func `a host writes its log as one JSON object a line`() throws {
        let scene = try Scene.counter(#""log": { "format": "json" }, "#)
        let outcome = try scene.run(["--print", "none"], input: "?\n")
        #expect(
            try told(outcome.errors) == [
                "warning standard input:1:1: expected a value, found '?'",
                "error no line was taken: 1 of 1 line rejected or refused; give actions, or JSON of another form with --wrap",
                "info 1 line, 0 actions, 1 rejected",
            ])
    }

    @Test func `a level leaves out what is below it, also of text`() throws {
        let text = try Scene.counter(#""log": { "level": "error" }, "#)
        #expect(
            try text.run(["--print", "none"], input: "?\n").errors
                == "gatehouse: no line was taken: 1 of 1 line rejected or refused; give actions, or JSON of another form with --wrap\n"
        )
        let json = try Scene.counter(#""log": { "format": "json", "level": "warning" }, "#)
        #expect(try told(json.run(["--print", "none"], input: "?\n").errors).count == 2)
    }

    @Test func `the line of a plugin has its level and its instance`() throws {
        let scene = try Scene(
            #"{ "log": { "format": "json" }, "plugins": [{ "id": "logger", "settings": { "level": "debug" } }] }"#,
            libraries: ["LoggerPlugin"])
        let first = try #require(
            try entries(scene.run(["--print", "none"], input: #"{"type":"a\u0085b"}"# + "\n").errors).first)
        #expect(first["level"] == "debug")
        #expect(first["instance"] == "logger")
        #expect(first["message"] == #"a\u{0085}b from standard input:1"#)
    }

    @Test func `what keeps a host from starting is said in the same form`() throws {
        let scene = try Scene(
            #"{ "log": { "format": "json" }, "plugins": [{ "id": "nobody" }], "limit": 1 }"#, libraries: [])
        let outcome = try scene.run(input: "")
        #expect(outcome.exitCode == 78)
        #expect(try entries(outcome.errors).allSatisfy { $0["level"] == "error" })
        #expect(try told(outcome.errors).count == 2)
    }

    @Test(arguments: ["run", "supervise"])
    func `a crash is an entry too, of the host and of its supervisor`(way: String) throws {
        let scene = try Scene(
            #"{ "log": { "format": "json" }, "supervise": { "pause": 0 }, "plugins": [{ "id": "fatal" }] }"#,
            libraries: ["FatalPlugin"])
        let input = #"{"type":"fatal/act","payload":{"place":"handle","deed":"trap"}}"# + "\n"
        let outcome = try scene.run(
            (way == "run" ? [] : ["--supervise"]) + ["--print", "none"], input: input)
        // What the Swift runtime writes about a crash is not the host's.
        let lines = outcome.errorLines.filter { $0.hasPrefix("{") }
        let told = try told(lines.joined(separator: "\n"))
        #expect(
            told.contains {
                $0.wholeMatch(
                    of:
                        /error the plugin fatal died by SIGILL in its middleware .*with the action fatal\/act \(number 1, from standard input:1\); the process ends/
                ) != nil
            }, "\(told)")
        #expect(
            way == "run"
                || told.contains {
                    $0.wholeMatch(of: /error the host \(process \d+\) died by SIGILL.*; it is restarted/)
                        != nil
                }, "\(told)")
        #expect(!outcome.errors.contains("gatehouse: "))
    }

    @Test func `a reload changes the form`() throws {
        let plain = #"{ "plugins": [{ "id": "counter" }] }"#
        let host = try LiveHost(plain, libraries: ["CounterPlugin"])
        try host.reload(
            #"{ "log": { "format": "json" }, "plugins": [{ "id": "counter" }] }"#,
            expecting: #"ms: change the host: log"}"#)
        try host.reload(plain, expecting: "gatehouse: generation 3 runs, after")
        host.send("anything")
        #expect(try host.finish().exitCode == 0)
    }
}
