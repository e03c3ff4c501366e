// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// `gatehouse validate` as people and programs meet it.
@Suite(.timeLimit(.minutes(10))) struct ValidateTests {
    /// Runs the command with arguments of one's own.
    private func validate(_ arguments: String...) throws -> ChildProcess.Outcome {
        try ChildProcess.run(arguments: ["validate"] + arguments, in: BuiltProducts.folder)
    }

    @Test func `a plugin that waits for actions is idle`() throws {
        #expect(
            try ValidatedPlugin.defective().result(of: "resources/idle") == ["pass   resources/idle"])
    }

    @Test func `each check is a line, and the last line counts`() throws {
        let outcome = try validate("libCounterPlugin.so", "--only", "gate,state/migrate")
        #expect(
            outcome.output == """
                skip   state/migrate                 there are no earlier versions of its state
                pass   gate/closed
                pass   gate/silence
                pass   gate/often
                4 checks: 3 passed, 1 skipped; seed 1

                """)
        #expect(outcome.errors == "")
        #expect(outcome.exitCode == 0)
    }

    @Test func `a check that another one spares is told by its reason, and the reason is told`() throws {
        let outcome = try ValidatedPlugin.defective("make/exit").validate(only: "gate/closed", "state/first")
        #expect(
            outcome.output == """
                crash  lifecycle/make                it called exit(3) while its parts were made with the settings {}; do not end the process; leave that to the host
                skip   state/first                   lifecycle/make is not passed
                skip   gate/closed                   lifecycle/make is not passed
                3 checks: 1 crashed, 2 skipped; seed 1

                """)
        #expect(outcome.exitCode == 69)
    }

    @Test func `no code runs of a library that the host refuses, and the reason is told`() throws {
        let outcome = try validate("libNoNote.so", "--only", "actions/examples")
        #expect(
            outcome.output == """
                fail   library/note                  carries no Gatehouse note, so it is not a plugin; a plugin target uses the EmbedManifest build plugin
                skip   actions/examples              the host refuses the library, see library/* or "gatehouse inspect"
                2 checks: 1 failed, 1 skipped; seed 1

                """)
        #expect(outcome.exitCode == 69)
    }

    @Test func `a trap is told with the calls that led to it`() throws {
        let folder = try TemporaryFolder()
        // Images in memory have no names for the tools that tell calls.
        let plugin = ValidatedPlugin(
            target: "DefectivePlugin",
            environment: ["DEFECT": "payload/numbers", "CACHE_DIRECTORY": folder.path], tracesCalls: true)
        let result = try #require(
            try JSONReport(
                plugin.validate(
                    only: "actions/extreme-numbers", arguments: ["--json"]
                ).output
            ).checks.first)
        #expect(result.calls.contains { $0.contains("/DefectivePlugin.swift:") }, "\(result.calls)")
    }

    @Test func `the list has a name and a sentence for each check`() throws {
        let outcome = try validate("--list", "--only", "gate/")
        #expect(
            outcome.output == """
                gate/closed   Its state is unchanged while its gate is closed.
                gate/silence  It stops emitting while its gate is closed.
                gate/often    It takes actions after its gate was closed and opened often.

                """)
        #expect(outcome.exitCode == 0)
    }

    @Test func `programs get one object`() throws {
        let outcome = try validate("libCounterPlugin.so", "--json", "--only", "state/declared", "--seed", "7")
        let report = try JSONReport(outcome.output).value
        #expect(report["ok"] == true)
        #expect(report["path"] == "libCounterPlugin.so")
        #expect(report["plugin"] == "counter")
        #expect(report["version"] == "1.0.0")
        #expect(report["seed"] == 7)
        #expect(report["counts"] == ["pass": 1, "warn": 0, "fail": 0, "crash": 0, "skip": 0])
        #expect(
            report["checks"] == [
                ["name": "state/declared", "outcome": "pass", "sentences": [], "calls": []]
            ])
    }

    // MARK: - Mistakes

    @Test(arguments: [
        (
            ["libCounterPlugin.so", "--only", "state/migrat"],
            "gatehouse: --only: there is no check \"state/migrat\", did you mean \"state/migrate\"?; --list names all\n"
        ),
        (
            ["libCounterPlugin.so", "--only", "states"],
            "gatehouse: --only: there is no check \"states\", did you mean \"state\"?; --list names all\n"
        ),
        (
            ["libCounterPlugin.so", "--seed", "-1"],
            "gatehouse: --seed: expected a whole number from 0 on, found \"-1\"\n"
        ),
        (["none.so"], "gatehouse: none.so: there is no such file or folder\n"),
        ([], "gatehouse: validate needs a library file; see gatehouse help validate\n"),
        (
            ["libCounterPlugin.so", "--input", "none.ndjson"],
            "gatehouse: none.ndjson: No such file or directory\n"
        ),
    ])
    func `what makes no sense ends with 64`(arguments: [String], sentence: String) throws {
        let outcome = try ChildProcess.run(arguments: ["validate"] + arguments, in: BuiltProducts.folder)
        #expect(outcome.errors == sentence)
        #expect(outcome.output == "")
        #expect(outcome.exitCode == 64)
    }

    @Test func `a note that is wrong about state fails`() throws {
        let folder = try TemporaryFolder()
        var bytes = try FileSystem.read(BuiltProducts.library("LoggerPlugin"))
        let (old, new) = (Array(#""keepsState":false"#.utf8), Array(#""keepsState":true "#.utf8))
        let place = try #require(
            bytes.indices.first { bytes[$0] == old[0] && bytes[$0...].starts(with: old) })
        bytes.replaceSubrange(place..<place + old.count, with: new)
        try folder.write(bytes, to: "plugin.so")
        try FileSystem.setMode(0o600, of: folder("plugin.so"))
        let outcome = try validate(folder("plugin.so"), "--json", "--only", "state/declared")
        let check = try #require(try JSONReport(outcome.output).checks.first)
        #expect(check.outcome == "fail")
        #expect(
            check.sentences == [
                "its note says that it keeps state, but it keeps none; rebuild it with this host's SDK"
            ])
    }

    // MARK: - Recordings

    @Test func `recorded actions are heard too, and one that does not fit is told`() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            """
            {"type":"counter/increment","payload":{"by":3}}

            {"type":"decrement","payload":{"by":"two"}}
            """, to: "input.ndjson")
        let outcome = try validate(
            "libCounterPlugin.so", "--input", folder("input.ndjson"), "--only", "actions/recorded")
        #expect(
            outcome.output == """
                fail   actions/recorded              decrement: /by: expected an integer, found a string; correct the recording, or the plugin
                1 check: 1 failed; seed 1

                """)
        #expect(outcome.exitCode == 69)
    }

    @Test func `a recording with a line that is no action is refused with its place`() throws {
        let folder = try TemporaryFolder()
        try folder.write("{\"type\":\"counter/reset\"}\n{\"typ\":1}\n", to: "input.ndjson")
        let outcome = try validate("libCounterPlugin.so", "--input", folder("input.ndjson"))
        #expect(outcome.errors.hasPrefix("gatehouse: \(folder("input.ndjson")):2:2: "), "\(outcome.errors)")
        #expect(outcome.exitCode == 64)
    }

    @Test func `states of earlier versions are taken over, and one that is refused is told`() throws {
        let folder = try TemporaryFolder()
        try folder.write("{\"version\":1,\"state\":{\"total\":3}}\n", to: "states.ndjson")
        let right = try validate(
            "libMigrantTwoPlugin.so", "--states", folder("states.ndjson"), "--only", "state/migrate")
        #expect(right.output == "pass   state/migrate\n1 check: 1 passed; seed 1\n")
        try folder.write(
            "{\"version\":1,\"state\":{\"total\":3,\"deed\":\"misfit\"}}\n", to: "states.ndjson")
        let wrong = try validate(
            "libMigrantTwoPlugin.so", "--states", folder("states.ndjson"), "--only", "state/migrate")
        #expect(
            wrong.output.hasPrefix(
                "fail   state/migrate                 {\"total\":3,\"deed\":\"misfit\"}: its state of version 1 cannot be taken over: /sum: expected an integer, found a string; correct the plugin's migrate\n"
            ), "\(wrong.output)")
        #expect(wrong.exitCode == 69)
        try folder.write("{\"version\":0,\"state\":1}\n", to: "states.ndjson")
        #expect(
            try validate("libMigrantTwoPlugin.so", "--states", folder("states.ndjson")).errors
                == "gatehouse: \(folder("states.ndjson")):1: expected an object such as {\"version\":1,\"state\":{}}, found something else\n"
        )
    }

    // MARK: - Settings

    @Test func `instances have the settings that are given, and the plugin may refuse them`() throws {
        let folder = try TemporaryFolder()
        try folder.write(#"{"rate":101}"#, to: "settings.json")
        let refused = try ValidatedPlugin.defective("settings/range").validate(
            only: "lifecycle/make", arguments: ["--settings", folder("settings.json")])
        #expect(
            refused.output == """
                fail   lifecycle/make                expected the settings {"rate":101} to be taken, found a refusal, /rate: expected at most 100, found more; correct --settings, or the plugin's Settings
                1 check: 1 failed; seed 1

                """)
        #expect(refused.exitCode == 69)
    }

    @Test(arguments: [
        (#"{"rate":7,}"#, ":1:10: "), ("[1]", ": expected an object such as {\"limit\":5}, found an array\n"),
        (#"{"rate":-1}"#, ": /rate: "), (#"{"rat":1}"#, ": /rat: "),
    ])
    func `settings that are none are refused with their place`(text: String, beginning: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(text, to: "settings.json")
        let outcome = try validate("libDefectivePlugin.so", "--settings", folder("settings.json"))
        #expect(
            outcome.errors.hasPrefix("gatehouse: \(folder("settings.json"))\(beginning)"), "\(outcome.errors)"
        )
        #expect(outcome.output == "")
        #expect(outcome.exitCode == 64)
    }

    // MARK: - What the guide allows

    @Test func `an action that a plugin applies to its own state need not be among those that it consumes`()
        throws
    {
        #expect(
            try ValidatedPlugin(target: "InterceptorPlugin").result(of: "state/replay") == [
                "pass   state/replay"
            ])
    }

    @Test func `an interceptor that stops most actions has heard them`() throws {
        let folder = try TemporaryFolder()
        try folder.write(
            #"{"rules":{"all":{"when":"*","rate":{"most":2,"seconds":3600}}}}"#, to: "settings.json")
        let outcome = try validate(
            "libLimitPlugin.so", "--settings", folder("settings.json"), "--only", "gate/often,state/replay")
        #expect(outcome.output == "pass   state/replay\npass   gate/often\n2 checks: 2 passed; seed 1\n")
    }

    // MARK: - Who ended it

    @Test func `a trap in an effect is told with the action that led to it, though others have come since`()
        throws
    {
        let lines = try ValidatedPlugin.defective("effect/trap").result(of: "actions/odd-texts")
        #expect(
            lines.first
                == #"crash  actions/odd-texts             it died by SIGILL in an effect, after it had heard act with {"amount":1,"label":""}; correct the plugin"#
        )
    }

    @Test func `another seed makes other payloads, and the same one the same`() throws {
        let sentences = try [1, 1, 2].map { seed in
            let outcome = try ValidatedPlugin.defective("payload/random").validate(
                only: "actions/random", arguments: ["--seed", "\(seed)", "--json"])
            return try JSONReport(outcome.output).checks.first?.sentences
        }
        #expect(sentences[0] == sentences[1])
        #expect(sentences[0] != sentences[2])
    }
}
