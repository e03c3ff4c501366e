// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What input may carry, and lines that are no actions by themselves.
@Suite(.timeLimit(.minutes(10))) struct IngressTests {
    private let ping = #"{"type":"probe/ping","payload":{"number":1}}"#

    private func probe(_ ingress: String) throws -> Scene {
        try Scene(#"{ "ingress": \#(ingress), "plugins": [{ "id": "probe" }] }"#, libraries: ["ProbePlugin"])
    }

    // MARK: - Allowed and denied types

    @Test func `a denied type is reported with its line, counted and not processed`() throws {
        let outcome = try probe(#"{ "deny": ["archive/*"] }"#).run(
            ["--print", "actions"], input: "{\"type\":\"archive/delete\"}\n{\"type\":\"archive\"}\n")
        #expect(
            outcome.errorLines == [
                #"standard input:1: archive/delete: input may not carry it: "ingress"/"deny" lists "archive/*""#,
                "gatehouse: 2 lines, 1 action, 0 rejected, 1 refused or not decodable, 1 of 1 type unheard: archive",
            ])
        #expect(outcome.output == "{\"type\":\"archive\"}\n")
        #expect(outcome.exitCode == 0)
    }

    @Test func `with a list of what is allowed nothing else comes in, whatever was seen before`() throws {
        let outcome = try probe(#"{ "allow": ["probe/*"], "deny": ["probe/later"] }"#).run(
            ["--print", "none"],
            input: """
                \(ping)
                {"type":"other"}
                \(ping)
                {"type":"probe/later","payload":{"text":"x"}}
                {"type":"other"}

                """)
        #expect(
            outcome.errorLines == [
                #"standard input:2: other: input may not carry it: "ingress"/"allow" does not list it; add it there"#,
                #"standard input:4: probe/later: input may not carry it: "ingress"/"deny" lists "probe/later""#,
                #"standard input:5: other: input may not carry it: "ingress"/"allow" does not list it; add it there"#,
                "gatehouse: 5 lines, 4 actions, 0 rejected, 3 refused or not decodable",
            ])
    }

    @Test func `a type that takes the number of a forgotten one is judged by its own name`() throws {
        let outcome = try probe(#"{ "deny": ["no/*"] }"#).run(
            ["--print", "none"],
            input: (0..<5_000).map { "{\"type\":\"no/\($0)\"}\n{\"type\":\"yes/\($0)\"}\n" }.joined())
        #expect(
            outcome.errorLines.last?.hasPrefix(
                "gatehouse: 10000 lines, 5000 actions, 0 rejected, 5000 refused or not decodable, "
            )
                == true)
        #expect(
            outcome.errorLines.dropLast().last
                == #"… and 4,900 more like it, the last: standard input:9999: no/4999: input may not carry it: "ingress"/"deny" lists "no/*""#
        )
    }

    @Test func `what instances emit needs no permission of the ingress`() throws {
        let outcome = try probe(#"{ "allow": ["probe/ping"] }"#).run(["--print", "actions"], input: ping)
        #expect(
            outcome.output == ping + "\n" + #"{"type":"probe/pong","payload":{"number":1}}"# + "\n")
    }

    @Test(arguments: [
        (#"{}"#, false), (#"{ "allow": ["*"] }"#, false), (#"{ "allow": ["hos*"] }"#, false),
        (#"{ "allow": ["*", "host/state/merge"] }"#, true), (#"{ "allow": ["host/*"] }"#, true),
        (#"{ "allow": ["host/*"], "deny": ["host/state/*"] }"#, false),
        (#"{ "allow": ["host/*"], "deny": ["*"] }"#, false),
    ])
    func `host actions come in where a pattern that begins with host allows them, and none denies them`(
        ingress: String, comesIn: Bool
    ) throws {
        let outcome = try probe(ingress).run(
            input: #"{"type":"host/state/merge","payload":{"plain":1}}"# + "\n" + ping)
        #expect(outcome.output.contains("\"plain\": 1") == comesIn)
    }

    @Test func `a strict run stops at a line that may not come in`() throws {
        let outcome = try probe(#"{ "deny": ["a"] }"#).run(
            ["--strict"], input: "{\"type\":\"a\"}\n\(ping)\n")
        #expect(
            outcome.errorLines.last
                == "gatehouse: 1 line, 0 actions, 0 rejected, 1 refused or not decodable, stopped at bad data (--strict)"
        )
        #expect(outcome.exitCode == 65)
    }

    @Test func `check says when host actions alone are allowed`() throws {
        #expect(
            try probe(#"{ "allow": ["host/gate/*"] }"#).call("check").errorLines.first
                == #"plugins.json:1:16: warning: /ingress/allow: it lists host actions alone, so that input may carry nothing else; add "*" for every other type"#
        )
    }

    @Test
    func `after more types than were ever remembered a new one is heard by its pattern, in the same memory`()
        throws
    {
        let scene = try Scene(
            """
            { "plugins": [ { "id": "counter" },
              { "id": "rules", "lift": { "input": { "later/*": "later/*" } },
                "settings": { "rules": [{ "when": "later/*", "emit": "counter/increment" }] } } ] }
            """, libraries: ["CounterPlugin", "RulesPlugin"])
        let child = try ChildProcess(
            BuiltProducts.program, ["run"], in: scene.folder.path, limit: .seconds(300), keeping: scene.folder
        )
        var before = 0
        for part in 0..<5 {
            child.write(
                (part * 60_000..<(part + 1) * 60_000).map { "{\"type\":\"hostile/\($0)\"}\n" }.joined())
            // The report tells that everything before it was read.
            child.write("mark\n")
            try child.waitForErrors("standard input:\((part + 1) * 60_001):1: ")
            if part == 0 { before = try child.peakMemory() }
        }
        let grown = try child.peakMemory() - before
        #expect(grown < 5 << 20, "by \(grown) bytes")
        child.write("{\"type\":\"later/new\"}\n")
        child.closeInput()
        let outcome = try child.finish()
        #expect(outcome.output.contains("\"count\": 1"))
        #expect(
            outcome.errorLines.last?.hasPrefix(
                "gatehouse: 300006 lines, 300002 actions, 5 rejected, more than 256 types unheard, such as hostile/"
            ) == true)
    }

    // MARK: - Wrapped lines

    @Test(arguments: [
        (#"{ "wrap": { "type": "probe/ping" } }"#, [String]()), ("{}", ["--wrap", "probe/ping"]),
        (#"{ "wrap": { "typeAt": "/kind" } }"#, ["--wrap", "probe/ping"]),
    ])
    func `any line becomes the payload of the wrapping action`(ingress: String, options: [String]) throws {
        let outcome = try probe(ingress).run(
            ["--print", "actions"] + options,
            input: "{\"number\":1,\"type\":\"x\"}\n  \n[1,{\"a\":\"b\"}]\n12\n1e999\n\"é\"\nnull\n")
        #expect(
            outcome.output == """
                {"type":"probe/ping","payload":{"number":1,"type":"x"}}
                {"type":"probe/pong","payload":{"number":1}}
                {"type":"probe/ping","payload":[1,{"a":"b"}]}
                {"type":"probe/ping","payload":12}
                {"type":"probe/ping","payload":1e999}
                {"type":"probe/ping","payload":"é"}
                {"type":"probe/ping","payload":null}

                """)
        #expect(
            outcome.errorLines.first
                == "standard input:3:1: probe/ping for probe: the payload does not fit: the whole value: expected an object, found an array"
        )
        #expect(outcome.errorLines.last?.contains("7 lines, 7 actions, 0 rejected") == true)
    }

    @Test(arguments: [
        (#"{ "wrap": { "typeAt": "/event/name" } }"#, [String]()), ("{}", ["--wrap-at", "/event/name"]),
    ])
    func `the type of a wrapped line may stand in it`(ingress: String, options: [String]) throws {
        let outcome = try probe(ingress).run(
            ["--print", "actions"] + options,
            input: """
                {"event":{"name":"a","name":"probe/ping"},"number":2}
                {"event":{"name":"b/c","x":1e999}}
                {"number":2}
                {"event":{"name":7}}
                {"event":{"name":""}}
                {"event":{"name":"host/state/merge"}}
                {"event":

                """)
        #expect(
            outcome.output == """
                {"type":"probe/ping","payload":{"event":{"name":"probe/ping"},"number":2}}
                {"type":"probe/pong","payload":{"number":2}}
                {"type":"b/c","payload":{"event":{"name":"b/c","x":1e999}}}

                """)
        let advice = #"; the type of each line is read there, as "typeAt" or --wrap-at says"#
        let expected = #"expected the action's type as a string at "/event/name", found "#
        #expect(
            outcome.errorLines == [
                "standard input:3:1: \(expected)nothing there\(advice)",
                "standard input:4:18: \(expected)an integer\(advice)",
                "standard input:5:18: \(expected)an empty string\(advice)",
                #"standard input:6: host/state/merge: input may not carry host actions; allow this one in "ingress"/"allow""#,
                "standard input:7:10: expected a value, found the end of the text",
                "gatehouse: 7 lines, 3 actions, 4 rejected, 1 refused or not decodable, 1 of 2 types unheard: b/c",
            ])
        #expect(outcome.exitCode == 0)
    }

    @Test func `the type of a wrapped line may be an element of an array, or the whole line`() throws {
        #expect(
            try probe("{}").run(["--wrap-at", "/1", "--print", "actions"], input: #"["x","a/b"]"#).output
                == #"{"type":"a/b","payload":["x","a/b"]}"# + "\n")
        #expect(
            try probe(#"{ "wrap": { "typeAt": "" } }"#).run(["--print", "actions"], input: #""a/b""#).output
                == #"{"type":"a/b","payload":"a/b"}"# + "\n")
    }

    @Test func `lines wrapped as a host action change the state where that is allowed`() throws {
        let outcome = try probe(
            #"{ "allow": ["host/state/merge"], "wrap": { "type": "host/state/merge" } }"#
        ).run(input: "{\"a\":1}\n{\"b\":2,\"a\":null}\n")
        #expect(outcome.output.contains("\"b\": 2"))
        #expect(!outcome.output.contains("\"a\""))
    }

    @Test(arguments: [
        (["--wrap", "a", "--wrap-at", "/b"], "--wrap and --wrap-at are both given; give one of them"),
        (["--wrap", "a/*"], #"--wrap: expected one action type, without "*", found "a/*""#),
        (["--wrap-at", "event"], #"--wrap-at: expected a JSON Pointer such as /event, found "event""#),
    ])
    func `options that do not name one type are explained`(arguments: [String], message: String) throws {
        let outcome = try probe("{}").run(arguments)
        #expect(outcome.errors == "gatehouse: \(message)\n")
        #expect(outcome.exitCode == 64)
    }

    // MARK: - Byte order mark

    @Test func `a byte order mark before the first line is skipped, and no other`() throws {
        let outcome = try probe("{}").run(
            ["--print", "none"], input: "\u{FEFF}\(ping)\n\u{FEFF}\(ping)\n")
        #expect(
            outcome.errorLines == [
                "standard input:2:1: expected a value, found a byte order mark; save the text as UTF-8 without one",
                "gatehouse: 2 lines, 2 actions, 1 rejected",
            ])
    }

    @Test func `columns are counted from the end of a byte order mark`() throws {
        #expect(
            try probe("{}").run(input: "\u{FEFF}{\"type\":7}\n\(ping)\n").errorLines.first
                == "standard input:1:9: expected a string as \"type\", found an integer")
    }
}
