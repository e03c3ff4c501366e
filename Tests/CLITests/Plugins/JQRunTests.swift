// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What an operator can say in jq programs, and what they are told when something is wrong with them.
@Suite(.timeLimit(.minutes(10))) struct JQRunTests {
    /// Rules, one object each, in a line of their own from line 2 on.
    private func scene(_ rules: String...) throws -> Scene {
        try Scene(
            "{ \"plugins\": [{ \"id\": \"jq\", \"settings\": { \"rules\": [\n"
                + rules.joined(separator: ",\n") + "\n] } }] }", libraries: ["JQPlugin"])
    }

    @Test func `the configuration of the README does what it says`() throws {
        let scene = try Scene(PluginReadme.configuration(of: "JQ"), libraries: ["JQPlugin"])
        let input = #"""
            {"type":"github/push","payload":{"ref":"refs/heads/main","pusher":{"name":"ada"},"commits":[{"id":"0123456789","author":{"name":"Ada"}},{"id":"abcdef0123","author":{"name":"Bob"}}]}}
            {"type":"github/push","payload":{"ref":"refs/heads/topic","pusher":{"name":"ada"},"commits":[]}}
            {"type":"github/issues","payload":{"action":"opened","issue":{"number":7,"title":"It fails","labels":[{"name":"bug"}]}}}
            """#
        let outcome = try scene.run(["--print", "actions"], input: input)
        #expect(
            outcome.output.split(separator: "\n").filter { !$0.contains("github/") }.sorted() == [
                #"{"type":"chat/message","payload":{"text":"ada pushed 2 commits: 0123456, abcdef0"}}"#,
                #"{"type":"commits/seen","payload":{"id":"0123456789","author":"Ada"}}"#,
                #"{"type":"commits/seen","payload":{"id":"abcdef0123","author":"Bob"}}"#,
                #"{"type":"issues/opened","payload":{"number":7,"title":"It fails","labels":["bug"]}}"#,
            ])
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
    }

    @Test func `a program that cannot be compiled is told with its place in the file`() throws {
        let scene = try scene(
            #"{ "when": "a", "emit": "b" }"#, #"{ "when": "a", "emit": "b", "payload": "{a: 1" }"#,
            #"{ "when": "a", "emit": "b" }"#)
        let outcome = try scene.call("check", "--rehearse")
        #expect(
            outcome.errors.contains(
                "plugins.json:3:40: /plugins/0/settings/rules/1/payload: expected a jq program whose brackets and texts are closed, found one in which nothing closes the { in line 1"
            ), "\(outcome.errors)")
        #expect(outcome.exitCode != 0)
        let other = try self.scene(#"{ "when": "a", "emit": "b", "payload": ".a b" }"#).call(
            "check", "--rehearse")
        #expect(
            other.errors.contains(
                "plugins.json:2:40: /plugins/0/settings/rules/0/payload: expected a jq program, found one that jq does not take: syntax error, unexpected IDENT in line 1"
            ), "\(other.errors)")
    }

    @Test func `what the schema knows is told without running the plugin`() throws {
        let outcome = try scene(#"{ "when": "a", "emit": "b", "payload": 1 }"#, #"{ "when": "a" }"#).call(
            "check")
        #expect(
            outcome.errors == """
                plugins.json:2:40: /plugins/0/settings/rules/0/payload: expected a string, found 1; correct it
                plugins.json:3:1: /plugins/0/settings/rules/1: expected a rule with one of "emit", a type, and "type", a program that gives it, found an object; correct it

                """)
        #expect(outcome.exitCode == 78)
    }

    @Test func `an action that a rule could not answer is told, and the run does not end with 0`() throws {
        let outcome = try scene(#"{ "when": "a", "emit": "b", "payload": ".[]" }"#).run(
            input: #"{"type":"a"}"#)
        #expect(
            outcome.errors.contains("the rule /rules/0 emits nothing: Cannot iterate over null (null)"),
            "\(outcome.errors)")
        #expect(outcome.exitCode == 75)
    }
}
