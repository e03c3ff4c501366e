// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

/// What an operator can say in rules, and what they are told when they say something else.
@Suite(.timeLimit(.minutes(10))) struct RulesRunTests {
    /// Rules, one object each, in a line of their own from line 2 on.
    private func scene(_ rules: String...) throws -> Scene {
        try Scene(
            "{ \"plugins\": [{ \"id\": \"rules\", \"settings\": { \"rules\": [\n"
                + rules.joined(separator: ",\n") + "\n] } }] }", libraries: ["RulesPlugin"])
    }

    /// What `check` says about one rule, without its place in the file up to the rule.
    private func complaint(_ rule: String) throws -> String {
        let outcome = try scene(rule).call("check")
        #expect(outcome.exitCode == 78)
        return outcome.errors.split(separator: "/plugins/0/settings/rules/0").last.map(String.init) ?? ""
    }

    /// The actions that come of lines, without those lines.
    private func answers(_ scene: Scene, _ lines: String...) throws -> [String] {
        let outcome = try scene.run(["--print", "actions"], input: lines.joined(separator: "\n"))
        #expect(outcome.exitCode == 0)
        return outcome.output.split(separator: "\n").map(String.init).filter { !lines.contains($0) }
    }

    @Test func `one rule answers to several types`() throws {
        let scene = try scene(#"{ "when": ["a", "b/*"], "emit": "x", "payload": "$" }"#)
        #expect(
            try answers(
                scene, #"{"type":"a","payload":1}"#, #"{"type":"b/c","payload":2}"#, #"{"type":"c"}"#)
                == [#"{"type":"x","payload":1}"#, #"{"type":"x","payload":2}"#])
    }

    @Test func `conditions test more than equality`() throws {
        let scene = try scene(
            #"{ "when": "order", "where": { "/total": { ">": 100, "<": 500 } }, "emit": "between" }"#,
            #"{ "when": "order", "where": { "/state": { "in": ["new", "paid"] } }, "emit": "open" }"#,
            #"{ "when": "order", "where": { "/state": { "not": { "in": ["new", "paid"] } } }, "emit": "done" }"#,
            #"{ "when": "order", "where": { "/coupon": { "exists": false } }, "emit": "plain" }"#)
        #expect(
            try answers(
                scene, #"{"type":"order","payload":{"total":100,"state":"new","coupon":null}}"#,
                #"{"type":"order","payload":{"total":100.5,"state":"lost"}}"#)
                == ["open", "between", "done", "plain"].map { #"{"type":"\#($0)"}"# })
    }

    @Test func `a hole inside a longer text is refused, with what is possible`() throws {
        #expect(
            try complaint(#"{ "when": "a", "emit": "b", "payload": { "text": "Hello $/name" } }"#) == """
                /payload/text: expected "$" and a JSON Pointer as the whole text, because nothing is put into a \
                longer one, or "$$" for a dollar at the beginning or before a slash, found "Hello $/name"; correct it

                """)
    }

    @Test func `a dollar in the type to emit is refused, with what is possible`() throws {
        #expect(
            try complaint(#"{ "when": "a", "emit": "b/$/name" }"#) == """
                /emit: expected one action type without * and $, because nothing is put into it: write a rule for \
                each type, found "b/$/name"; correct it

                """)
    }

    @Test func `a test that nobody knows is refused, and the one that was meant is named`() throws {
        #expect(
            try complaint(#"{ "when": "a", "where": { "/x": { "exist": true } }, "emit": "b" }"#)
                == #"/where/~1x/exist: unknown key "exist"; did you mean "exists"?"# + "\n")
        #expect(
            try complaint(#"{ "when": "a", "where": { "/x": { "<": "5" } }, "emit": "b" }"#)
                == #"/where/~1x/<: expected a number, found "5"; correct it"# + "\n")
    }

    @Test func `what a setting must look like is said in words`() throws {
        #expect(
            try complaint(#"{ "when": "a*b", "emit": "b" }"#)
                == #"/when: expected an action type, with * at most at its end, found "a*b"; correct it"#
                + "\n")
        #expect(
            try complaint(#"{ "when": "a", "where": { "x": 1 }, "emit": "b" }"#)
                == #"/where/x: expected a JSON Pointer such as "/id", found "x"; correct it"# + "\n")
        let scene = try Scene(
            #"{ "plugins": [{ "id": "persistence", "settings": { "file": "../x" } }] }"#,
            libraries: ["PersistencePlugin"])
        let outcome = try scene.call("check")
        #expect(
            outcome.errors
                == #"plugins.json:1:60: /plugins/0/settings/file: expected a name for a file, without slashes, found "../x"; correct it"#
                + "\n")
        #expect(outcome.exitCode == 78)
    }

    @Test func `what a rule emits is known by its instance, whatever the trail says`() throws {
        let scene = try Scene(
            #"""
            { "journal": {}, "plugins": [{ "id": "rules", "allow": ["b", "c"], "settings": { "rules": [
              { "when": "a", "emit": "b" }, { "when": "b", "emit": "c" } ] } }] }
            """#, libraries: ["RulesPlugin"])
        #expect(try scene.run(input: #"{"type":"a"}"# + "\n").exitCode == 0)
        let lines = try scene.call("history", "--instance", "rules").output
            .replacing(/\S+Z/, with: "TIME").split(separator: "\n").map {
                $0.split(separator: " ").joined(separator: " ")
            }
        #expect(lines == ["2 TIME b output of 1 by rules", "3 TIME c output of 2 by rules"])
    }
}
