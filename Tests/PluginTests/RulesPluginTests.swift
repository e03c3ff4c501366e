// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

@testable import RulesPlugin

@Suite(.timeLimit(.minutes(10))) struct RulesPluginTests {
    /// What the rules make of one action, as wire forms.
    private func answers(
        _ rules: Value, to type: ActionType, _ payload: Value? = nil, error: Bool = false
    ) throws -> [Value] {
        let store = try TestStore(Rules.self, settings: ["rules": rules])
        try store.send(AnyAction(type, payload: payload, error: error))
        return try store.takeWire()
    }

    @Test func `without rules nothing is emitted`() throws {
        #expect(try answers([], to: "a", ["x": 1]) == [])
    }

    @Test func `every rule that matches emits, in the order of the rules`() throws {
        let rules: Value = [
            ["when": "b", "emit": "1"], ["when": "a*", "emit": "2"],
            ["when": "abc", "emit": "3", "error": true],
            ["when": "abcd", "emit": "4"],
        ]
        #expect(try answers(rules, to: "abc") == [["type": "2"], ["type": "3", "error": true]])
    }

    @Test(
        arguments: [
            ([:], ["id": 1], true), (["": ["is": ["id": 1]]], ["id": 1], true),
            (["/id": 1], ["id": 1.0], true),
            (["/id": 1], ["id": 2], false), (["/id": 1], [:], false), (["/id": nil], [:], false),
            (["/id": nil], ["id": nil], true), (["/id": 1], nil, false), (["": nil], nil, false),
            (["/a/0": "x", "/b": true], ["a": ["x"], "b": true], true),
            (["/a/0": "x", "/b": true], ["a": ["x"], "b": false], false),
            (["/a~1b": [1]], ["a/b": [1]], true),
            (["/a": ["not": "x"]], ["a": "y"], true), (["/a": ["not": "x"]], ["a": "x"], false),
            (["/a": ["not": "x"]], [:], true), (["/a": ["not": "x"]], nil, true),
            (["/a": ["not": ["in": ["x", 1]]]], ["a": 1.0], false),
            (["/a": ["not": ["in": ["x", 1]]]], ["a": 2], true),
            (["/a": ["exists": true]], ["a": nil], true), (["/a": ["exists": true]], [:], false),
            (["/a": ["exists": false]], [:], true), (["/a": ["exists": false]], ["a": 0], false),
            (["/a": ["in": ["x", 1]]], ["a": 1.0], true), (["/a": ["in": ["x", 1]]], ["a": "y"], false),
            (["/a": ["in": [nil]]], [:], false), (["/a": ["in": [nil]]], ["a": nil], true),
            (["/a": ["<": 5]], ["a": 4.9], true), (["/a": ["<": 5]], ["a": 5], false),
            (["/a": ["<": 5]], ["a": "4"], false), (["/a": ["<": 5]], [:], false),
            (["/a": [">": 5]], ["a": 6], true), (["/a": [">": 5]], ["a": 5], false),
            (["/a": [">": 5]], ["a": [6]], false), (["/a": [">": 5]], nil, false),
            (["/a": [">": 1, "<": 3]], ["a": 2], true), (["/a": [">": 1, "<": 3]], ["a": 3], false),
            (["/a": ["<=": 5]], ["a": 5.0], true), (["/a": ["<=": 5]], ["a": 5.1], false),
            (["/a": ["<=": 5]], ["a": "4"], false), (["/a": ["<=": 5]], [:], false),
            (["/a": [">=": 5]], ["a": 5], true), (["/a": [">=": 5]], ["a": 4.9], false),
            (["/a": [">=": 5]], ["a": nil], false), (["/a": [">=": 5]], nil, false),
            (["/a": ["prefix": "refs/"]], ["a": "refs/tags/1"], true),
            (["/a": ["prefix": "refs/"]], ["a": "refs"], false),
            (["/a": ["prefix": ""]], ["a": 1], false), (["/a": ["prefix": "x"]], [:], false),
            (["/a": ["is": ["not": 1]]], ["a": ["not": 1]], true),
            (["/a": ["is": ["not": 1]]], ["a": 2], false),
        ] as [(Value, Value?, Bool)])
    func `all conditions must hold`(conditions: Value, payload: Value?, matches: Bool) throws {
        let found = try answers([["when": "a", "where": conditions, "emit": "b"]], to: "a", payload)
        #expect(found == (matches ? [["type": "b"]] : []))
    }

    @Test(
        arguments: [
            ("$", ["id": 1]), ("$/id", 1), ("$/none", nil), ("$$", "$"), ("$$/id", "$/id"), ("a$", "a$"),
            ("costs $5", "costs $5"), ("see $$/id", "see $/id"), ("$$a$b", "$a$b"), ("a$$$/b$$", "a$$/b$$"),
            (nil, .null),
            (["x": "$/id", "y": "$/none", "$/id": ["$", 2]], ["x": 1, "$/id": [["id": 1], 2]]),
            (["$/none", "$/id", "$$$"], [nil, 1, "$$"]), (5, 5),
        ] as [(Value, Value?)])
    func `a template is filled from the payload`(template: Value, expected: Value?) throws {
        let found = try answers([["when": "a", "emit": "b", "payload": template]], to: "a", ["id": 1])
        #expect(found.map { $0["payload"] } == [expected])
    }

    @Test func `without a payload to fill from, holes are empty`() throws {
        let rules: Value = [
            ["when": "a", "emit": "b", "payload": "$"], ["when": "a", "emit": "c", "payload": ["x": "$"]],
        ]
        #expect(try answers(rules, to: "a") == [["type": "b"], ["type": "c", "payload": [:]]])
    }

    @Test(arguments: [("a", true), ("b/c", true), ("c", false), ("b", false)])
    func `a rule answers to each of several types`(type: ActionType, matches: Bool) throws {
        let found = try answers([["when": ["a", "b/*"], "emit": "x"]], to: type)
        #expect(found == (matches ? [["type": "x"]] : []))
    }

    @Test func `answers keep the place of the original and name the rule`() throws {
        let store = try TestStore(
            Rules.self,
            settings: [
                "rules": [
                    ["when": "none", "emit": "x"], ["when": "a", "emit": "b"], ["when": "b", "emit": "c"],
                ]
            ])
        try store.send(AnyAction("a"), from: .input(info: "feed"))
        #expect(
            store.takeEmitted().map(\.dispatcher) == [
                .input(info: "feed\na by test /rules/1"),
                .input(info: "feed\na by test /rules/1\nb by test /rules/2"),
            ])
        let other = try TestStore(Rules.self, settings: ["rules": [["when": "a", "emit": "b"]]])
        try other.send(AnyAction("a"), from: .input())
        #expect(other.takeEmitted().map(\.dispatcher) == [.input(info: "a by test /rules/0")])
    }

    @Test func `a long trail keeps its first four lines and its last four`() throws {
        let rules: [Value] = (1...20).map { ["when": .string("t\($0)"), "emit": .string("t\($0 + 1)")] }
        let store = try TestStore(Rules.self, settings: ["rules": .array(rules)])
        try store.send(AnyAction("t1"), from: .input())
        let trails = store.takeEmitted().map { $0.dispatcher.info }
        let line = { (number: Int) in "t\(number) by test /rules/\(number - 1)" }
        #expect(trails[7] == (1...8).map(line).joined(separator: "\n"))
        let first = (1...4).map(line) + ["…"]
        #expect(trails[8] == (first + (6...9).map(line)).joined(separator: "\n"))
        #expect(trails[19] == (first + (17...20).map(line)).joined(separator: "\n"))
    }

    @Test func `rules that answer each other are cut by the store`() throws {
        let store = try TestStore(
            Rules.self, settings: ["rules": [["when": "a", "emit": "b"], ["when": "b", "emit": "a"]]])
        try store.send(AnyAction("a"), from: .input())
        let problems = store.takeProblems()
        #expect(problems.count == 1)
        let cut =
            "expected at most 1000 outputs, each in answer to the one before, found 1 more, which was dropped"
        #expect(problems.first?.contains("(input.ndjson:7): \(cut): ") == true)
        #expect(store.takeEmitted().count == 1000)
    }

    @Test(
        arguments: [
            ([["emit": "b"]], #"/rules/0: expected a member "when", found none"#),
            ([["when": "a"]], #"/rules/0: expected a member "emit", found none"#),
            (
                [["when": "a", "emit": "b"], ["when": "a*b", "emit": "b"]],
                #"/rules/1/when: expected an action type, with * at most at its end, found "a*b""#
            ),
            (
                [["when": "a", "emit": "b*"]],
                #"/rules/0/emit: expected one action type without * and $, because nothing is put into it: write a rule for each type, found "b*""#
            ),
            (
                [["when": "a", "emit": "b/$/id"]],
                #"/rules/0/emit: expected one action type without * and $, because nothing is put into it: write a rule for each type, found "b/$/id""#
            ),
            (
                [["when": "a", "emit": ""]],
                #"/rules/0/emit: expected one action type without * and $, because nothing is put into it: write a rule for each type, found """#
            ),
            (
                [["when": [], "emit": "b"]],
                "/rules/0/when: expected an action type, or an array of at least one, found an empty one"
            ),
            (
                [["when": 1, "emit": "b"]],
                "/rules/0/when: expected an action type, or an array of at least one, found an integer"
            ),
            (
                [["when": ["a", "a*b"], "emit": "b"]],
                #"/rules/0/when/1: expected an action type, with * at most at its end, found "a*b""#
            ),
            (
                [["when": "a", "emit": "b", "where": ["/x": ["nto": 1]]]],
                #"/rules/0/where/~1x: expected a value, the tests not, exists, in, <, <=, >, >= or prefix in an object, or an object itself after "is", found the member "nto""#
            ),
            (
                [["when": "a", "emit": "b", "where": ["/x": [:]]]],
                #"/rules/0/where/~1x: expected at least one test, or an empty object after "is", found none"#
            ),
            (
                [["when": "a", "emit": "b", "where": ["/x": ["not": ["exists": 1]]]]],
                "/rules/0/where/~1x/not/exists: expected a boolean, found an integer"
            ),
            (
                [["when": "a", "emit": "b", "where": ["/x": ["in": []]]]],
                "/rules/0/where/~1x/in: expected an array of at least one value, found an empty one"
            ),
            (
                [["when": "a", "emit": "b", "where": ["/x": ["<": "5"]]]],
                "/rules/0/where/~1x/<: expected a number, found a string"
            ),
            (
                [["when": "a", "emit": "b", "where": ["id": 1]]],
                #"/rules/0/where: expected JSON Pointers such as "/id" as names, found "id""#
            ),
            (
                [["when": "a", "emit": "b", "where": ["/id"]]],
                "/rules/0/where: expected an object of JSON Pointers and what is expected there, found an array"
            ),
            (
                [["when": "a", "emit": "b", "payload": ["x": [1, "$id"]]]],
                #"/rules/0/payload/x/1: expected "$" and a JSON Pointer as the whole text, because nothing is put into a longer one, or "$$" for a dollar at the beginning or before a slash, "#
                    + #"found "$id""#
            ),
            (
                [["when": "a", "emit": "b", "payload": "$/~2"]],
                #"/rules/0/payload: expected "$" and a JSON Pointer as the whole text, because nothing is put into a longer one, or "$$" for a dollar at the beginning or before a slash, "#
                    + #"found "$/~2""#
            ),
            (
                [["when": "a", "emit": "b", "payload": "Hello $/name"]],
                #"/rules/0/payload: expected "$" and a JSON Pointer as the whole text, because nothing is put into a longer one, or "$$" for a dollar at the beginning or before a slash, "#
                    + #"found "Hello $/name""#
            ),
            (
                [["when": "a", "emit": "b", "error": "yes"]],
                "/rules/0/error: expected a boolean, found a string"
            ),
            ("all", "/rules: expected an array, found a string"),
        ] as [(Value, String)])
    func `settings that do not fit are refused with place and remedy`(rules: Value, message: String) {
        let failure = #expect(throws: CodingFailure.self) {
            try TestStore(Rules.self, settings: ["rules": rules])
        }
        #expect(failure?.description == message)
    }

    @Test func `settings that were encoded decode to the same`() throws {
        let settings: Value = [
            "rules": [
                [
                    "when": "a/*", "where": ["/x": nil, "": 1, "/y": ["not": ["in": [1, 2]], "<": 3]],
                    "emit": "b",
                    "payload": ["t": "$/y", "u": ["$", "$$", "$$$/z", 3, "a$$/b", "$/c$/d", "e$"]],
                    "error": true,
                ],
                ["when": ["c"], "where": [:], "emit": "d", "error": false],
            ]
        ]
        #expect(try Value(encoding: try settings.decode(Rules.Settings.self)) == settings)
    }

    @Test func `the manifest says what the plugin does`() throws {
        try Rules.checkManifest(at: "Plugins/Rules/plugin.json")
    }
}
