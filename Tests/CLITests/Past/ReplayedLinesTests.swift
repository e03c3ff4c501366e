// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What `gatehouse replay` makes of lines in the place of a journal.
@Suite(.timeLimit(.minutes(10))) struct ReplayedLinesTests {
    /// A till of version one that has sold twice and been asked for a receipt, and a file with what its journal tells.
    private func scene() throws -> Scene {
        let scene = try Scene.soldTill()
        try scene.folder.copyLibrary("TillTwoPlugin")
        try scene.folder.write(try scene.call("history", "--json").output, to: "day.ndjson")
        return scene
    }

    @Test func `lines of a journal are replayed as the journal itself`() throws {
        let scene = try scene()
        for options in [[], ["--with", "libTillTwoPlugin.so"], ["--with", "libTillTwoPlugin.so", "--json"]] {
            let run = { (more: [String]) in
                try ChildProcess.run(
                    arguments: ["replay"] + more + options, in: scene.folder.path,
                    environment: scene.environment)
            }
            let (journal, lines) = (try run([]), try run(["day.ndjson"]))
            #expect(lines.output == journal.output)
            #expect(lines.errors == "")
            #expect(lines.exitCode == (options.isEmpty ? 0 : 65))
        }
    }

    @Test func `another configuration differs from lines as from the journal`() throws {
        let scene = try scene()
        _ = try scene.folder.makeFolder("next")
        try scene.folder.copyLibrary("TillTwoPlugin", as: "next/libTillTwoPlugin.so")
        try scene.folder.write(#"{ "directory": "next", "plugins": [{ "id": "till" }] }"#, to: "next.json")
        for options in [["--config", "next.json"], ["--config", "next.json", "--against", "plugins.json"]] {
            let run = { (more: [String]) in
                try ChildProcess.run(
                    arguments: ["replay"] + options + more, in: scene.folder.path,
                    environment: scene.environment)
            }
            let (journal, lines) = (try run(["--journal", "journal"]), try run(["day.ndjson"]))
            let changed = "1 action with other content:\n  till/taxed by till after 3: /payload 240 → 250\n"
            #expect(journal.output.contains(changed), "\(journal.output)")
            #expect(lines.output.contains(changed), "\(lines.output)")
            #expect(lines.exitCode == 65)
        }
    }

    @Test func `a part of a journal is replayed from standard input, with the initial state before it`()
        throws
    {
        let scene = try scene()
        let part = try scene.call("history", "--json", "--from", "3").output
        let outcome = try ChildProcess.run(
            arguments: ["replay", "-", "--with", "libTillTwoPlugin.so"], input: Array(part.utf8),
            in: scene.folder.path, environment: scene.environment)
        #expect(
            outcome.output == """
                actions 1 to 4: 3 actions dispatched again; 1 more followed, as many as recorded; 1 effect not run
                1 action with other content:
                  till/taxed by till after 1: /payload 240 → 250
                the state differs at 1 place, for the first time after 1:
                  /till/total  240 → 250
                the first difference follows from:
                  1  till/sold  standard input:2  200

                """)
        #expect(outcome.errors == "")
        #expect(outcome.exitCode == 65)
    }

    @Test func `actions alone are compared with what the configuration makes of them`() throws {
        let scene = try scene()
        try scene.folder.write(
            """
            {"type":"till/sold","payload":10}

            {"type":"till/sold","payload":200}

            """, to: "actions.ndjson")
        let outcome = try scene.call("replay", "actions.ndjson", "--with", "libTillTwoPlugin.so")
        #expect(
            outcome.output.hasPrefix(
                """
                actions 1 to 2: 2 actions dispatched again; 2 more followed, as many as before
                1 action with other content:
                  till/taxed by till after 2: /payload 240 → 250

                """), "\(outcome.output)")
        #expect(outcome.output.contains("  2  till/sold  actions.ndjson:3  200\n"), "\(outcome.output)")
        #expect(outcome.exitCode == 65)
        let alone = try scene.call("replay", "actions.ndjson")
        #expect(
            alone.errors
                == "gatehouse: actions.ndjson: does not tell what followed from each action; name a configuration to compare with by --against, or a library to try by --with\n"
        )
        #expect(alone.exitCode == 64)
    }

    @Test func `wrong lines are told all at once, and nothing is replayed`() throws {
        let scene = try scene()
        try scene.folder.write(
            """
            {"type":"till/sold","payload":10}
            {"type":
            {"tipe":"till/sold"}
            {"sequence":0,"cause":{"kind":"input"},"action":{"type":"till/sold"}}
            {"sequence":7,"cause":{"kind":"luck"},"action":{"type":"till/sold"}}
            {"sequence":8,"cause":{"kind":"input"},"action":{"payload":10}}
            {"sequence":9,"cause":{"kind":"input"},"misfit":"/payload: expected a number","action":{"type":"a"}}

            """, to: "wrong.ndjson")
        let outcome = try scene.call("replay", "wrong.ndjson", "--with", "libTillTwoPlugin.so")
        #expect(
            outcome.errors == """
                gatehouse: wrong.ndjson:2:9: expected a value, found the end of the text
                gatehouse: wrong.ndjson:3:2: expected only the members type, payload, error and meta, found "tipe"; did you mean "type"?
                gatehouse: wrong.ndjson:4: expected the number of an action, from 1 on at /sequence, found 0
                gatehouse: wrong.ndjson:5: expected unknown, input, output, effect, own or interception at /cause/kind, found "luck"
                gatehouse: wrong.ndjson:6: action: expected the member "type", found an object without it; name the action there
                gatehouse: wrong.ndjson:7: expected a whole action, found one whose payload was not recorded (/payload: expected a number); remove the line to replay the others

                """)
        #expect(outcome.output == "")
        #expect(outcome.exitCode == 65)
        try scene.folder.write(String(repeating: "[]\n", count: 23), to: "wrong.ndjson")
        let many = try scene.call("replay", "wrong.ndjson")
        #expect(many.errors.split(separator: "\n").count == 21)
        #expect(
            many.errors.hasSuffix("\ngatehouse: 3 more lines of the input cannot be replayed\n"),
            "\(many.errors)")
    }

    @Test(
        arguments: [
            (
                ["none.ndjson"],
                "none.ndjson: cannot be opened: No such file or directory; give a file of lines, or - for standard input",
                64
            ),
            (
                ["journal"],
                "journal: expected a file of lines, found a folder; name the folder of a journal with --journal",
                64
            ),
            (
                ["journal/journal.sqlite"],
                "journal/journal.sqlite: expected a file of lines, found the file of a journal; name the folder of a journal with --journal",
                64
            ),
            (
                ["-"],
                "standard input: expected actions, one a line, found none; gatehouse history --json prints such lines",
                65
            ),
            (["day.ndjson", "--last", "3"], "--last and FILE are both given; give one of them", 64),
            (
                ["day.ndjson", "--journal", "journal"], "--journal and FILE are both given; give one of them",
                64
            ),
            (
                ["day.ndjson", "more.ndjson"],
                "unexpected argument \"more.ndjson\"; see gatehouse help replay", 64
            ),
        ])
    func `what is no file of lines is refused`(arguments: [String], sentence: String, code: Int32) throws {
        let scene = try scene()
        let outcome = try ChildProcess.run(
            arguments: ["replay"] + arguments, in: scene.folder.path, environment: scene.environment)
        #expect(outcome.errors == "gatehouse: \(sentence)\n")
        #expect(outcome.output == "")
        #expect(outcome.exitCode == code)
    }

    @Test func `the journal of the lines goes with the command`() throws {
        let scene = try scene()
        _ = try scene.folder.makeFolder("scratch")
        let environment = scene.environment.merging(["TMPDIR": scene.folder("scratch")]) { $1 }
        for file in ["day.ndjson", "journal", "none"] {
            _ = try ChildProcess.run(
                arguments: ["replay", file], in: scene.folder.path, environment: environment)
            #expect(FileSystem.names(in: scene.folder("scratch")) == [])
        }
    }
}
