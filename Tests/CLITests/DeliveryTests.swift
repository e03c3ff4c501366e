// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What an operator is told of what did not get where it should.
@Suite(.timeLimit(.minutes(10))) struct DeliveryTests {
    /// Instances that keep documents, each with further members of its entry, and one that keeps errors.
    private func archives(_ archives: [(id: String, members: String)]) throws -> Scene {
        let entries =
            archives.map {
                #"{ "id": "\#($0.id)", "library": "libPersistencePlugin.so"\#($0.members) }"#
            } + [#"{ "id": "crash-reports" }"#]
        return try Scene(
            #"{ "discovery": "ignore", "plugins": [\#(entries.joined(separator: ", "))] }"#,
            libraries: ["PersistencePlugin", "CrashReportsPlugin"])
    }

    /// Members of an instance that has no folder to keep anything in.
    private let noFolder = #", "lift": { "dependencies": ["clock"] }"#

    private func save(_ instance: String, _ id: String, _ value: String = "1") -> String {
        #"{"type":"\#(instance)/save","payload":{"collection":"c","id":"\#(id)","value":\#(value)}}"# + "\n"
    }

    // MARK: - Failures

    @Test func `saves that fail are errors that crash-reports hears, are counted, and end the run with 75`()
        throws
    {
        let scene = try archives([("archive", noFolder)])
        let outcome = try scene.run(input: save("archive", "a") + save("archive", "b"))
        #expect(
            outcome.errorLines == [
                #"archive: has not done "save": the instance archive has no folder for its file; grant it "data" in "lift"/"dependencies""#,
                #"archive: has not done "save": the instance archive has no folder for its file; grant it "data" in "lift"/"dependencies""#,
                "gatehouse: 2 lines, 6 actions, 0 rejected, 2 failed in archive",
            ])
        #expect(outcome.output.contains(#""type": "archive/failed""#))
        #expect(outcome.output.contains(#""total": 2"#))
        #expect(outcome.exitCode == 75)
    }

    @Test func `a failed save says so in its wire form`() throws {
        let scene = try archives([("archive", noFolder)])
        let outcome = try scene.run(["--print", "actions"], input: save("archive", "a"))
        let failed = try #require(outcome.output.split(separator: "\n").dropFirst().first)
        #expect(failed.hasPrefix(#"{"type":"archive/failed","payload":{"operation":"save","#))
        #expect(failed.hasSuffix(#","id":"a"},"error":true}"#))
    }

    @Test
    func `with --strict a run in which something failed ends with 65, and all the same does everything`()
        throws
    {
        let scene = try archives([("archive", noFolder)])
        let outcome = try scene.run(
            ["--strict", "--print", "none"], input: save("archive", "a") + save("archive", "b"))
        #expect(
            outcome.errorLines.last == "gatehouse: 2 lines, 6 actions, 0 rejected, 2 failed in archive")
        #expect(outcome.exitCode == 65)
    }

    @Test func `each instance that failed is named, in chain order, and none that did not`() throws {
        let scene = try archives([("b", noFolder), ("good", ""), ("a", noFolder)])
        let outcome = try scene.run(
            ["--print", "none"],
            input: save("a", "1") + save("good", "1") + save("b", "1") + save("a", "2"))
        #expect(
            outcome.errorLines.last
                == "gatehouse: 4 lines, 11 actions, 0 rejected, 1 failed in b, 2 failed in a")
        #expect(outcome.exitCode == 75)
    }

    @Test func `an error that came in with the input is nobody's failure`() throws {
        let outcome = try archives([]).run(["--print", "none"], input: #"{"type":"a","error":true}"#)
        #expect(outcome.errors == "gatehouse: 1 line, 2 actions, 0 rejected\n")
        #expect(outcome.exitCode == 0)
    }

    @Test func `an error that an instance emits is not its failure`() throws {
        let scene = try Scene(
            """
            { "plugins": [{ "id": "rules", "settings": { "rules": [
                { "when": "a", "emit": "b", "error": true } ] } }] }
            """, libraries: ["RulesPlugin"])
        let outcome = try scene.run(["--strict", "--print", "actions"], input: #"{"type":"a"}"#)
        #expect(outcome.output == #"{"type":"a"}"# + "\n" + #"{"type":"b","error":true}"# + "\n")
        #expect(outcome.errors == "gatehouse: 1 line, 2 actions, 0 rejected\n")
        #expect(outcome.exitCode == 0)
    }

    @Test func `a disk that is full after some saves: the others are counted, and crash-reports is full`()
        throws
    {
        let scene = try archives([("archive", "")])
        let text = String(repeating: "x", count: 200)
        let count = 1_000
        let input = (0..<count).map { save("archive", "k\($0)", "\"\(text)\"") }.joined()
        let child = try scene.start(["--print", "actions"])
        child.write(save("archive", "first"))
        try child.waitForOutput(#"{"type":"archive/saved""#)
        try child.limitFiles(to: 128 << 10)
        child.write(input)
        child.closeInput()
        let outcome = try child.finish()
        let lines = outcome.output.split(separator: "\n")
        let saved = lines.count { $0.hasPrefix(#"{"type":"archive/saved""#) }
        let failed = lines.count { $0.hasPrefix(#"{"type":"archive/failed""#) }
        #expect(saved > 1 && failed > 0)
        #expect(saved + failed == count + 1)
        #expect(lines.count { $0.hasPrefix(#"{"type":"crash-reports/recorded""#) } == failed)
        #expect(
            outcome.errorLines.last
                == "gatehouse: \(count + 1) lines, \(2 * count + 2 + failed) actions, 0 rejected, \(failed) failed in archive"
        )
        #expect(
            outcome.errorLines.first
                == #"archive: has not done "save": ./data/archive/documents.sqlite: there is no room for more; free some and try again"#
        )
        #expect(outcome.exitCode == 75)
    }

    // MARK: - Types that nobody hears

    /// A counter, and lines of these types.
    private func count(_ types: [String]) throws -> ChildProcess.Outcome {
        try Scene.counter().run(
            ["--print", "none"], input: types.map { #"{"type":"\#($0)"}"# + "\n" }.joined())
    }

    @Test func `types that no instance hears are counted, with one that was likely mistyped`() throws {
        let outcome = try count([
            "other", "counter/increment", "counter/incremnt", "third", "counter/incremnt", "other",
        ])
        #expect(
            outcome.errors == """
                gatehouse: 6 lines, 6 actions, 0 rejected, 3 of 4 types unheard, such as counter/incremnt; \
                did you mean counter/increment?

                """)
        #expect(outcome.exitCode == 0)
    }

    @Test func `the only unheard type is named`() throws {
        #expect(
            try count(["other"]).errors
                == "gatehouse: 1 line, 1 action, 0 rejected, 1 of 1 type unheard: other\n")
        #expect(
            try count(["other", "counter/reset"]).errors
                == "gatehouse: 2 lines, 2 actions, 0 rejected, 1 of 2 types unheard: other\n")
    }

    @Test func `of endless unheard types the last ones are kept`() throws {
        let outcome = try count((0..<5_000).map { "flood/\($0)" } + ["counter/rest"])
        #expect(
            outcome.errors == """
                gatehouse: 5001 lines, 5001 actions, 0 rejected, more than 256 types unheard, such as \
                counter/rest; did you mean counter/reset?

                """)
    }

    @Test func `an unheard type cannot move the terminal`() throws {
        #expect(
            try count([#"\u001b[2J"#]).errors
                == #"gatehouse: 1 line, 1 action, 0 rejected, 1 of 1 type unheard: \u{1B}[2J"# + "\n")
    }

    @Test func `what instances emit and nobody hears is not told`() throws {
        let scene = try archives([("archive", "")])
        try scene.folder.write(
            #"{ "discovery": "ignore", "plugins": [{ "id": "archive", "library": "libPersistencePlugin.so" }] }"#,
            to: "plugins.json")
        let outcome = try scene.run(["--print", "none"], input: save("archive", "a"))
        #expect(outcome.errors == "gatehouse: 1 line, 2 actions, 0 rejected\n")
    }

    @Test func `the host's own actions are heard by the host`() throws {
        let scene = try Scene.counter(#""ingress": { "allow": ["*", "host/state/merge"] }, "#)
        let outcome = try scene.run(
            ["--print", "none"], input: #"{"type":"host/state/merge","payload":{"a":1}}"#)
        #expect(outcome.errors == "gatehouse: 1 line, 1 action, 0 rejected\n")
    }
}
