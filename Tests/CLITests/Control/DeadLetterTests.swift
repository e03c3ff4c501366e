// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// What `gatehouse ctl` shows of actions that came to nothing, and does with them.
@Suite(.timeLimit(.minutes(10))) struct DeadLetterTests {
    /// The lines that a command prints, each moment replaced by a word.
    private func lines(_ outcome: ChildProcess.Outcome) -> [String] {
        outcome.output.split(separator: "\n").map {
            String($0).replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, with: "TIME")
        }
    }

    @Test func `a payload that an instance cannot read is kept with its reason`() throws {
        let host = try ControlledHost()
        #expect(try host.ctl("dead-letters").output == "no dead letters\n")
        host.process.write(#"{"type":"eu/increment","payload":{"by":"x"},"meta":{"a":1}}"# + "\n")
        try host.process.waitForErrors("the payload does not fit")
        _ = try host.ctl("dispatch", "us/increment", #"{"by":[]}"#)
        #expect(
            lines(try host.ctl("dead-letters")) == [
                "1  TIME  misfit  eu/increment  from standard input:1",
                "    eu: the payload does not fit: /by: expected an integer, found a string",
                "2  TIME  misfit  us/increment  from control:1",
                "    us: the payload does not fit: /by: expected an integer, found an array",
            ])
        #expect(
            lines(try host.ctl("dead-letters", "--limit", "1")).last == "1 of 2 dead letters")
        #expect(
            try host.ctl("dead-letters", "--kind", "late").output == "no dead letters of this kind\n")
        #expect(
            try host.ctl("dead-letters", "--show", "1").output.hasSuffix(
                """
                {
                  "type": "eu/increment",
                  "payload": {
                    "by": "x"
                  },
                  "meta": {
                    "a": 1
                  }
                }

                """))
        let answer = try JSONText.parse(try host.ctl("dead-letters", "--json", "--show", "2").output)
        #expect(answer["kept"] == 2)
        #expect(answer["letters"]?[0]?["source"] == ["input": "control", "line": 1])
        #expect(answer["letters"]?[0]?["action"]?["payload"] == ["by": []])
        _ = try host.finish()
    }

    @Test func `the status, the host's own state and the metrics count them`() throws {
        let host = try ControlledHost()
        _ = try host.ctl("dispatch", "eu/increment", #"{"by":"x"}"#)
        #expect(
            try host.ctl("status").output.contains("\n1 dead letter; see gatehouse ctl dead-letters\n"))
        #expect(try host.status()["deadLetters"] == 1)
        #expect(try host.ctl("state", "/host/deadLetters").output == "1\n")
        #expect(
            try host.ctl("metrics").output.contains("gatehouse_dead_letters{host=\"shop\"} 1\n"))
        _ = try host.finish()
    }

    @Test func `a letter that does not fit again takes the place of the one before`() throws {
        let host = try ControlledHost()
        _ = try host.ctl("dispatch", "eu/increment", #"{"by":"x"}"#)
        let again = try host.ctl("redispatch", "1")
        #expect(
            again.output
                == "1: dead again, as 2: the payload does not fit: /by: expected an integer, found a string\n"
        )
        #expect(again.exitCode == 65)
        #expect(lines(try host.ctl("dead-letters")).count == 2)
        let unknown = try host.ctl("redispatch", "1")
        #expect(unknown.output == "1: there is no dead letter with this number\n")
        #expect(unknown.exitCode == 65)
        _ = try host.finish()
    }

    @Test func `another action may be dispatched in the place of a letter`() throws {
        let host = try ControlledHost()
        _ = try host.ctl("dispatch", "eu/increment", #"{"by":"x"}"#)
        let worse = try host.ctl(
            "redispatch", "1", "--action", #"{"type":"eu/increment","payload":{"by":[]}}"#)
        #expect(
            worse.output
                == "1: dead again, as 2: the payload does not fit: /by: expected an integer, found an array\n"
        )
        let done = try ChildProcess.run(
            arguments: ["ctl", "redispatch", "2", "--action", "-"],
            input: Array("{\n  \"type\": \"eu/increment\",\n  \"payload\": { \"by\": 3 }\n}\n".utf8),
            in: host.scene.folder.path, environment: host.scene.environment)
        #expect(done.output == "2: processed\n")
        #expect(done.exitCode == 0)
        #expect(try host.ctl("state", "/orders/eu/count").output == "3\n")
        #expect(try host.ctl("dead-letters").output == "no dead letters\n")
        let broken = try host.ctl("redispatch", "2", "--action", "{ nope }")
        #expect(
            broken.errors
                == "gatehouse: the action: line 1, column 3: expected a member name in double quotes, found 'n'; write JSON, a text in double quotes\n"
        )
        #expect(broken.exitCode == 64)
        _ = try host.finish()
    }

    @Test func `letters are thrown away, one, all of a kind, or all`() throws {
        let host = try ControlledHost()
        for _ in 0..<3 { _ = try host.ctl("dispatch", "eu/increment", #"{"by":"x"}"#) }
        let one = try host.ctl("discard", "2")
        #expect(one.output == "2: discarded\n")
        #expect(one.exitCode == 0)
        let gone = try host.ctl("discard", "2")
        #expect(gone.output == "2: there is no dead letter with this number\n")
        #expect(gone.exitCode == 65)
        #expect(try host.ctl("discard", "--all", "--kind", "late").output == "no dead letters to discard\n")
        #expect(try host.ctl("discard", "--all").output == "1: discarded\n3: discarded\n")
        #expect(try host.ctl("state", "/host/deadLetters").output == "0\n")
        _ = try host.finish()
    }

    @Test
    func `an output that was refused is processed once the configuration lets it out, and is gone then`()
        throws
    {
        let entries = { (allow: String) in
            #", { "id": "rules", "library": "libRulesPlugin.so", "allow": ["\#(allow)"], "settings": { "rules": [{ "when": "order", "emit": "eu/increment", "payload": { "by": 3 } }] } }"#
        }
        let host = try ControlledHost(libraries: ["RulesPlugin"])
        try host.scene.folder.write(
            ControlledHost.configuration(entries: entries("us/*")), to: "plugins.json")
        #expect(try host.ctl("reload").exitCode == 0)
        _ = try host.ctl("dispatch", "order")
        #expect(
            lines(try host.ctl("dead-letters")) == [
                "1  TIME  refused-output  eu/increment  from rules",
                #"    rules: "allow" does not cover it; add it there"#,
            ])
        #expect(try host.ctl("state", "/orders/eu/count").output == "0\n")
        let done = try host.ctl("redispatch", "--all", "--kind", "refused-output")
        #expect(done.output == "1: processed\n")
        #expect(done.exitCode == 0)
        #expect(try host.ctl("state", "/orders/eu/count").output == "3\n")
        #expect(try host.ctl("redispatch", "--all").output == "no dead letters to dispatch\n")
        _ = try host.finish()
    }

    @Test func `what an instance says it has not done is kept and can be tried again`() throws {
        let host = try ControlledHost(libraries: ["PatientPlugin"])
        try host.scene.folder.write(
            ControlledHost.configuration(
                entries: #", { "id": "patient", "library": "libPatientPlugin.so" }"#),
            to: "plugins.json")
        #expect(try host.ctl("reload").exitCode == 0)
        _ = try host.ctl("dispatch", "patient/refuse", #"{"reason":"no room"}"#)
        #expect(
            lines(try host.ctl("dead-letters")) == [
                "1  TIME  failed  patient/refuse", "    patient: no room",
            ])
        let letters = try JSONText.parse(try host.ctl("dead-letters", "--json").output)
        #expect(
            letters["letters"]?[0]?["action"] == [
                "type": "patient/refuse", "payload": ["reason": "no room"],
            ])
        let again = try host.ctl("redispatch", "1")
        #expect(again.output == "1: dead again, as 2: no room\n")
        #expect(again.exitCode == 65)
        _ = try host.finish()
    }

    @Test func `a document that was not saved is saved when its letter is dispatched again`() throws {
        let host = try ControlledHost(libraries: ["PersistencePlugin"])
        // A file where the folder is to be.
        try host.scene.folder.write("", to: "data")
        try host.scene.folder.write(
            ControlledHost.configuration(
                entries: #", { "id": "docs", "library": "libPersistencePlugin.so" }"#),
            to: "plugins.json")
        #expect(try host.ctl("reload").exitCode == 0)
        _ = try host.ctl("dispatch", "docs/save", #"{"collection":"c","id":"a","value":1}"#)
        try host.process.waitForErrors("docs: has not done \"save\": ")
        let letters = try JSONText.parse(try host.ctl("dead-letters", "--json").output)
        #expect(
            letters["letters"]?[0]?["action"] == [
                "type": "docs/save", "payload": ["collection": "c", "id": "a", "value": 1],
            ])
        FileSystem.remove(host.scene.folder("data"))
        #expect(try host.ctl("redispatch", "1").output == "1: processed\n")
        let end = try host.finish()
        #expect(end.errorLines.last?.hasSuffix(", 1 failed in docs") == true)
        #expect(try FileSystem.read(host.scene.folder("data/docs/documents.sqlite")).count > 0)
    }

    @Test(
        arguments: [
            (
                ["dead-letters", "--kind", "misfits"],
                "expected one of misfit, refused-output, late, set-aside, failed, quarantined, unfinished, stopped, gated, refused-input, found \"misfits\"; did you mean \"misfit\"?"
            ),
            (
                ["dead-letters", "--show", "9"],
                "expected the number of a dead letter, found 9; look at the list of them"
            ),
            (
                ["redispatch"],
                "ctl redispatch needs the numbers of dead letters, or --all; see gatehouse help ctl redispatch"
            ),
            (["redispatch", "x"], "ctl redispatch: expected the number of a dead letter, found \"x\""),
            (
                ["discard"],
                "ctl discard needs the numbers of dead letters, or --all; see gatehouse help ctl discard"
            ),
            (
                ["redispatch", "--all", "--action", "{}"],
                "ctl redispatch needs the number of one dead letter beside --action; see gatehouse help ctl redispatch"
            ),
            (
                ["discard", "1", "--action", "{}"],
                "--action belongs to ctl redispatch, found it with ctl discard; leave it out"
            ),
            (["redispatch", "--all", "3"], "unexpected argument \"3\"; see gatehouse help ctl"),
            (
                ["redispatch", "3", "--kind", "late"],
                "--kind belongs to ctl redispatch --all, found it with numbers of dead letters; leave it out"
            ),
            (
                ["status", "--limit", "3"],
                "--limit belongs to ctl dead-letters, found it with ctl status; leave it out"
            ),
            (["dead-letters", "--limit", "0"], "--limit: expected a number from 1 on, found \"0\""),
        ])
    func `what makes no sense is refused with what was expected`(arguments: [String], sentence: String) throws
    {
        let host = try ControlledHost()
        let outcome = try ChildProcess.run(
            arguments: ["ctl"] + arguments, in: host.scene.folder.path, environment: host.scene.environment)
        #expect(outcome.errors == "gatehouse: \(sentence)\n")
        #expect(outcome.exitCode == 64)
        _ = try host.finish()
    }
}
