// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

@testable import JQPlugin

@Suite(.timeLimit(.minutes(10))) struct JQPluginTests {
    /// A store with these rules.
    private func store(
        _ rules: Value, _ more: Members = [:], status: PluginStatus = PluginStatus()
    ) throws -> TestStore<AnyAction, NoState> {
        var settings = more
        settings["rules"] = rules
        return try TestStore(JQ.self, settings: .object(settings), services: TestServices(status: status))
    }

    /// What rules make of one action, as wire forms.
    private func answers(_ rules: Value, to type: ActionType, _ payload: Value? = nil) throws -> [Value] {
        let store = try store(rules)
        try store.send(AnyAction(type, payload: payload))
        return try store.takeWire()
    }

    /// Why rules emit nothing for an action, one reason for each.
    private func reasons(
        _ rules: Value, _ more: Members = [:], payload: Value?
    ) throws -> (answers: [Value], reasons: [String]) {
        let notices = Notices()
        let store = try store(rules, more, status: PluginStatus { notices.add($0) })
        try store.send(AnyAction("a", payload: payload))
        return (
            try store.takeWire(),
            notices.all.map { notice in
                if case .failed("a", payload, let reason) = notice { reason } else { "\(notice)" }
            }
        )
    }

    /// What settings are refused with.
    private func refusal(_ rule: Value) -> String {
        do {
            _ = try store([["when": "z", "emit": "z"], rule])
            return "accepted"
        } catch {
            return "\(error)"
        }
    }

    @Test func `a payload without a program is none, and without rules nothing is emitted`() throws {
        #expect(try answers([["when": "a", "emit": "b"]], to: "a", 1) == [["type": "b"]])
        #expect(try answers([], to: "a", 1) == [])
    }

    @Test func `each output of the payload program is an action, in order`() throws {
        #expect(
            try answers([["when": "a", "emit": "b", "payload": ".[] | {n: .}"]], to: "a", [1, "x"])
                == [["type": "b", "payload": ["n": 1]], ["type": "b", "payload": ["n": "x"]]])
    }

    @Test(
        arguments: [
            ("true", true), ("false", false), ("null", false), ("0", true), ("empty", false),
            ("false, true", false), ("1, error(\"not reached\")", true), (".x > 1", true), (".x > 2", false),
            (".x # a comment", true), ("$type == \"a\"", true), ("$meta == null", true),
        ])
    func `the first output of the condition decides`(program: String, holds: Bool) throws {
        let rule: Value = ["when": "a", "where": .string(program), "emit": "b"]
        #expect(try answers([rule], to: "a", ["x": 2]) == (holds ? [["type": "b"]] : []))
    }

    @Test func `a program gives the type, and sees what is about to be emitted`() throws {
        let rules: Value = [
            [
                "when": ["a", "b/*"], "type": #""\($type)/\(.kind)/\($payload)""#, "payload": ".n[]",
                "error": true,
            ]
        ]
        #expect(
            try answers(rules, to: "b/x", ["kind": "k", "n": [1, 2]]) == [
                ["type": "b/x/k/1", "payload": 1, "error": true],
                ["type": "b/x/k/2", "payload": 2, "error": true],
            ])
        #expect(try answers(rules, to: "c", ["kind": "k", "n": [1]]) == [])
    }

    @Test func `rules answer in their order, and name themselves in the source`() throws {
        let rules: [Value] = (0..<9).map {
            ["when": "a", "emit": .string("b\($0)"), "payload": .string("\($0)")]
        }
        let store = try store(.array(rules))
        try store.send(AnyAction("a"), from: .input(info: "feed"))
        let emitted = store.takeEmitted()
        #expect(emitted.map(\.action.payload) == (0..<9).map { .integer($0) })
        #expect(emitted.map { $0.dispatcher.info } == (0..<9).map { "feed\na by test /rules/\($0)" })
    }

    @Test func `a rule that fails is told with its reason, and the others answer`() throws {
        let rules: Value = [
            ["when": "a", "emit": "1", "payload": ".x.y"], ["when": "a", "emit": "2", "payload": "1, error"],
            ["when": "a", "emit": "3", "payload": "error({a: 1})"],
            ["when": "a", "type": "7"], ["when": "a", "type": "\"a*\""], ["when": "a", "emit": "6"],
        ]
        let found = try reasons(rules, payload: ["x": 1])
        #expect(found.answers == [["type": "6"]])
        #expect(
            found.reasons == [
                #"the rule /rules/0 emits nothing: Cannot index number with string "y""#,
                #"the rule /rules/1 emits nothing: {"x":1} (not a string)"#,
                #"the rule /rules/2 emits nothing: {"a":1} (not a string)"#,
                #"the rule /rules/3 emits nothing: its "type" gave 7, expected the type of an action, a text without *"#,
                #"the rule /rules/4 emits nothing: its "type" gave "a*", expected the type of an action, a text without *"#,
            ])
    }

    @Test func `outputs have a limit in number and in size`() throws {
        let endless: Value = [["when": "a", "emit": "b", "payload": "range(1; infinite)"]]
        #expect(
            try reasons(endless, ["maximumOutputs": 3], payload: nil).reasons == [
                #"the rule /rules/0 emits nothing: it has more outputs than "maximumOutputs" allows, 3"#
            ])
        let large: Value = [
            ["when": "a", "emit": "b", "payload": "[range(100)], \"\(String(repeating: "x", count: 300))\""]
        ]
        #expect(
            try reasons(large, ["maximumSize": 1_000], payload: nil).reasons == [
                #"the rule /rules/0 emits nothing: its outputs are larger than "maximumSize" allows"#
            ])
        #expect(try reasons(large, ["maximumSize": 2_000], payload: nil).reasons == [])
        #expect(try reasons(endless, ["maximumOutputs": 3], payload: nil).answers == [])
    }

    @Test func `a payload leaves room for nine containers around it`() throws {
        let made = { (containers: Int) in
            let program = "reduce range(\(containers - 1)) as $i ([]; [.])"
            return try self.reasons(
                [["when": "a", "emit": "b", "payload": .string(program)]], payload: nil)
        }
        let deepest = try made(JSONText.maximumDepth - 9)
        #expect(deepest.reasons == [])
        #expect(deepest.answers.count == 1)
        let deeper = try made(JSONText.maximumDepth - 8)
        #expect(
            deeper.reasons == [
                "the rule /rules/0 emits nothing: its output has too many containers inside each other"
            ])
        #expect(deeper.answers == [])
    }

    @Test func `one integer above 2^53 keeps no payload out, and is handed on as it is`() throws {
        let payload: Value = [
            "n": 1, "id": 9_007_199_254_740_993, "all": [.unsigned(.max), .bigNumber("1e400")],
        ]
        let made = { (program: String) in
            try self.answers([["when": "a", "emit": "b", "payload": .string(program)]], to: "a", payload)
                .first?["payload"]
        }
        #expect(try made(".n + 1") == 2)
        #expect(try made(".") == payload)
        #expect(try made("{id, x: .all[0]}") == ["id": 9_007_199_254_740_993, "x": .unsigned(.max)])
        #expect(try made("[.. | strings]") == [9_007_199_254_740_993, .unsigned(.max), .bigNumber("1e400")])
        #expect(try made(#""order \(.id)""#) == "order 9007199254740993")
        #expect(try made(#""\(.id)""#) == "9007199254740993")
        #expect(try made(#".id == "9007199254740993""#) == true)
        #expect(
            try reasons([["when": "a", "emit": "b", "payload": ".id + 1"]], payload: payload).reasons == [
                "the rule /rules/0 emits nothing: string (\"9007199254...) and number (1) cannot be added"
            ])
    }

    @Test func `a text of the same digits as a large number stays a text`() throws {
        let payload: Value = ["id": 9_007_199_254_740_993, "text": "9007199254740993"]
        #expect(
            try answers([["when": "a", "emit": "b", "payload": "."]], to: "a", payload)
                == [["type": "b", "payload": payload]])
    }

    @Test func `a number that jq computes and would round is an error`() throws {
        #expect(
            try reasons(
                [["when": "a", "emit": "b", "payload": "{x: (.n + 1)}"]],
                payload: ["n": 9_007_199_254_740_991]
            )
            .reasons == [
                "the rule /rules/0 emits nothing: jq would round 9007199254740992.0 at /payload/x, because whole numbers are exact up to 9007199254740991 there; hand it on as a text"
            ])
        #expect(
            try answers(
                [["when": "a", "emit": "b", "payload": "."]], to: "a",
                [9_007_199_254_740_991, 0.1, 1e300, -9_007_199_254_740_991])
                == [["type": "b", "payload": [9_007_199_254_740_991, 0.1, 1e300, -9_007_199_254_740_991]]])
    }

    @Test func `texts keep every character, the one of number zero too`() throws {
        let text = "a\0b \u{1F469}\u{200D}\u{1F680} \u{301}é \"\\"
        #expect(
            try answers([["when": "a", "emit": "b", "payload": "{(.): .}"]], to: "a", .string(text))
                == [["type": "b", "payload": .object([text: .string(text)])]])
    }

    @Test(
        arguments: [
            ("env.HOME", #""env" in line 1, which stands for the environment"#),
            ("$ENV", #""$ENV" in line 1, which stands for the environment"#),
            ("1 |\n  $ ENV.HOME", #""$ENV" in line 2, which stands for the environment"#),
            ("input", #""input" in line 1, which stands for further input"#),
            ("[inputs]", #""inputs" in line 1, which stands for further input"#),
            (#"import "a" as a; ."#, #""import" in line 1, which stands for reading a file"#),
            (#"include "a"; ."#, #""include" in line 1, which stands for reading a file"#),
            ("debug", #""debug" in line 1, which stands for writing to standard error"#),
            (#""a\(1 | "b\(env)")""#, #""env" in line 1, which stands for the environment"#),
            ("{a: env}", #""env" in line 1, which stands for the environment"#),
            ("{(env): 1}", #""env" in line 1, which stands for the environment"#),
            (".[env:]", #""env" in line 1, which stands for the environment"#),
            ("# env\nnow", #""now" in line 2, which stands for the time of the system"#),
            ("halt_error", #""halt_error" in line 1, which stands for the end of the program"#),
        ])
    func `what reaches beyond the action is refused, with its line`(program: String, found: String) {
        #expect(
            refusal(["when": "a", "emit": "b", "payload": .string(program)])
                == "/rules/1/payload: expected a jq program that depends on the action alone, found \(found)")
    }

    @Test(
        arguments: [
            ".env", "{env: 1}", "{a: 1, input: 2}", "{env}", "\"env\"", "@json \"now\"", ". # input",
            ". as {env: $now} | $now", ".a.now.env", "[.[] | .input?]", #""\("now") \(.env)""#,
        ])
    func `the name of a member, a text and a comment are not meant`(program: String) {
        #expect(refusal(["when": "a", "emit": "b", "where": .string(program + "\n| .")]) == "accepted")
    }

    @Test(
        arguments: [
            (".a b", "one that jq does not take: syntax error, unexpected IDENT in line 1"),
            ("1 |\nfoo(1)", "one that jq does not take: foo/1 is not defined in line 2"),
            ("1 +", "one that jq does not take: it ends too early"),
            ("# nothing", "one that jq does not take: it ends too early"),
            ("$x", "one that jq does not take: $x is not defined in line 1"),
        ])
    func `what jq does not take is told with rule, key and line`(program: String, found: String) {
        #expect(
            refusal(["when": "a", "emit": "b", "where": .string(program)])
                == "/rules/1/where: expected a jq program, found \(found)")
        #expect(
            refusal(["when": "a", "type": .string(program)])
                == "/rules/1/type: expected a jq program, found \(found)")
    }

    @Test(
        arguments: [
            ("1) | (2", "one in which nothing opens the ) in line 1"),
            ("[1,\n{a: (1}]", "one in which nothing opens the } in line 2"),
            ("\n[1", "one in which nothing closes the [ in line 2"),
            ("\"abc", "one in which nothing closes the \" in line 1"),
            (#""a\(1"#, #"one in which nothing closes the \( in line 1"#),
        ])
    func `a program cannot reach out of its brackets`(program: String, found: String) {
        #expect(
            refusal(["when": "a", "emit": "b", "where": .string(program)])
                == "/rules/1/where: expected a jq program whose brackets and texts are closed, found \(found)"
        )
    }

    @Test func `a number in a program that jq would round is refused`() {
        #expect(
            refusal(["when": "a", "emit": "b", "where": ".id ==\n 9007199254740993"])
                == "/rules/1/where: expected whole numbers up to 9007199254740991, because jq rounds larger ones, found 9007199254740993 in line 2"
        )
        #expect(
            refusal(["when": "a", "emit": "b", "where": "1e300 > 0.1, 9007199254740991, .[0]"]) == "accepted")
    }

    @Test func `a rule needs one way to its type`() {
        let expected =
            #"/rules/1: expected a rule with one of "emit", a type, and "type", a program that gives it, found "#
        #expect(refusal(["when": "a"]) == expected + "neither")
        #expect(refusal(["when": "a", "emit": "b", "type": "\"c\""]) == expected + "both")
        #expect(
            refusal(["when": "a", "emit": "b*"])
                == #"/rules/1/emit: expected one action type without *, found "b*""#)
    }

    @Test func `as many rules as there may be are compiled together`() throws {
        let rules: [Value] = (0..<256).map {
            ["when": .string("t\($0)"), "emit": "x", "payload": .string("\($0) + .")]
        }
        for number in [0, 1, 127, 128, 255] {
            #expect(
                try answers(.array(rules), to: ActionType("t\(number)"), 1000)
                    == [["type": "x", "payload": .integer(Int64(1000 + number))]])
        }
    }
}
