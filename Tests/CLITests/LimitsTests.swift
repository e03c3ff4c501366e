// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// How much one line of input may lead to, through the built program.
@Suite(.timeLimit(.minutes(10))) struct LimitsTests {
    /// Two rules that answer everything below `a/`, also what they emit.
    private func doubling(_ limits: String) throws -> Scene {
        try Scene(
            """
            { \(limits)"plugins": [{ "id": "rules", "settings": { "rules": [
                { "when": "a/*", "emit": "a/b" }, { "when": "a/*", "emit": "a/c" }] } }] }
            """, libraries: ["RulesPlugin"])
    }

    /// What standard error says without the warnings of the start.
    private func errors(_ outcome: ChildProcess.Outcome) -> [String] {
        outcome.errors.split(separator: "\n").map(String.init).filter { !$0.contains("warning:") }
    }

    @Test func `two rules that answer themselves end with the limit of actions, told once for each line`()
        throws
    {
        let outcome = try doubling("").run(
            ["--print", "none"], input: #"{"type":"a/x"}"# + "\n" + #"{"type":"a/y"}"# + "\n")
        #expect(
            errors(outcome) == [
                "standard input:1: a/x: it led to more than 10000 actions, and 10002 were dropped; what repeats is a/b, "
                    + "a/c, emitted by rules; let no instance answer what it emits itself, or raise \"limits\"/\"actions\"",
                "standard input:2: a/y: it led to more than 10000 actions, and 10002 were dropped; what repeats is a/b, "
                    + "a/c, emitted by rules; let no instance answer what it emits itself, or raise \"limits\"/\"actions\"",
                "gatehouse: 2 lines, 20002 actions, 0 rejected, 20004 outputs dropped at a limit",
            ])
        #expect(outcome.exitCode == 0)
    }

    @Test func `an input that is cut is bad data for a strict run`() throws {
        let outcome = try doubling(#""limits": { "actions": 5 }, "#).run(
            ["--print", "none", "--strict"], input: #"{"type":"a/x"}"# + "\n" + #"{"type":"a/y"}"# + "\n")
        #expect(
            errors(outcome) == [
                "standard input:1: a/x: it led to more than 5 actions, and 7 were dropped; what repeats is a/b, a/c, "
                    + "emitted by rules; let no instance answer what it emits itself, or raise \"limits\"/\"actions\"",
                "gatehouse: 1 line, 6 actions, 0 rejected, 7 outputs dropped at a limit, "
                    + "stopped at bad data (--strict)",
            ])
        #expect(outcome.exitCode == 65)
    }

    @Test func `a chain without end is cut at its own limit`() throws {
        let scene = try Scene(
            #"{ "limits": { "chain": 50 }, "plugins": [{ "id": "probe" }] }"#, libraries: ["ProbePlugin"])
        let outcome = try scene.run(["--print", "none"], input: #"{"type":"probe/spin"}"#)
        #expect(
            errors(outcome) == [
                "standard input:1: probe/spin: it led to more than 50 actions in a row, each in answer to the one before, "
                    + "and 1 was dropped; what repeats is probe/spin -> probe/spin, emitted by probe; let no instance answer "
                    + "what it emits itself, or raise \"limits\"/\"chain\"",
                "gatehouse: 1 line, 51 actions, 0 rejected, 1 output dropped at a limit",
            ])
        #expect(outcome.exitCode == 0)
    }

    @Test func `a rule that hears itself and doubles what it hears is cut before it is written anywhere`()
        throws
    {
        let scene = try Scene(
            """
            { "limits": { "bytes": 100000 }, "plugins": [{ "id": "rules", "settings": { "rules": [
                { "when": "a", "emit": "a", "payload": { "x": "$", "y": "$" } }] } }] }
            """, libraries: ["RulesPlugin"])
        let outcome = try scene.run(
            ["--print", "actions"],
            input: #"{"type":"a","payload":[1]}"# + "\n" + #"{"type":"b","payload":[2]}"# + "\n")
        #expect(
            errors(outcome) == [
                "standard input:1: a: it led to payloads of more than 100000 bytes, and 1 action was dropped: a, emitted by "
                    + "rules; let no instance put what it hears into what it emits more than once, or raise \"limits\"/\"bytes\"",
                "gatehouse: 2 lines, 13 actions, 0 rejected, 1 output dropped at a limit, 1 of 2 types unheard: b",
            ])
        #expect(outcome.output.contains(#"{"type":"b","payload":[2]}"#))
        #expect(outcome.output.utf8.count < 200_000)
        #expect(outcome.exitCode == 0)
    }

    @Test func `a limit that is no number is told, and the old key by its new place`() throws {
        let scene = try Scene(#"{ "maximumChain": 5, "limits": { "waiting": "many" }, "plugins": [] }"#)
        let outcome = try scene.call("check")
        #expect(
            outcome.errors == """
                plugins.json:1:3: /maximumChain: unknown key "maximumChain"; it is now "limits"/"chain"
                plugins.json:1:45: /limits/waiting: expected a whole number from 1 to 100000000, found "many"; write one in that range

                """)
        #expect(outcome.exitCode == 78)
    }

    @Test func `more effects than one middleware may have running wait for others, and the run ends`() throws
    {
        let scene = try Scene(#"{ "plugins": [{ "id": "probe" }] }"#, libraries: ["ProbePlugin"])
        let lines = String(repeating: #"{"type":"probe/wait"}"# + "\n", count: 10_050)
        let outcome = try scene.run(["--print", "none"], input: lines + #"{"type":"probe/free"}"# + "\n")
        #expect(
            outcome.errors == """
                Gatehouse: standard input:10001: expected at most 10000 effects of one middleware running, found more, which wait until others end; start fewer at once, or put those without an end into the background
                gatehouse: 10051 lines, 10051 actions, 0 rejected

                """)
        #expect(outcome.exitCode == 0)
    }

    @Test func `two hundred thousand actions that effects emit at once end with a small queue`() throws {
        let scene = try Scene(
            #"{ "limits": { "waiting": 1000 }, "plugins": [{ "id": "probe" }] }"#, libraries: ["ProbePlugin"])
        let flood = #"{"type":"probe/flood","payload":{"count":50000}}"# + "\n"
        let outcome = try scene.run(["--print", "none"], input: String(repeating: flood, count: 4))
        // On a busy machine the host may say before that effects take long.
        #expect(
            outcome.errors.hasSuffix("gatehouse: 4 lines, 200004 actions, 0 rejected\n"), "\(outcome.errors)")
        #expect(outcome.exitCode == 0)
    }
}
