// SPDX-License-Identifier: Apache-2.0

import GatehousePlanTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct LiftProblemTests {
    @Test(arguments: [
        Mistake(
            #""in/""#,
            #"1:34: /plugins/0/lift: expected an object, found "in/"; write { "key": value }"#
        ),
        Mistake(
            #"{"inputs": "a/"}"#,
            #"1:35: /plugins/0/lift/inputs: unknown key "inputs"; did you mean "input"?"#
        ),
        Mistake(
            #"{"input": 1}"#,
            #"1:44: /plugins/0/lift/input: expected a prefix such as "orders/" or an object of names, "#,
            #"found 1; "#,
            "write the prefix in double quotes"
        ),
        Mistake(
            #"{"input": "orders/eu"}"#,
            #"1:44: /plugins/0/lift/input: expected a prefix that ends in "/" and has no "*", "#,
            #"found "orders/eu"; write "orders/eu/""#
        ),
        Mistake(
            #"{"output": "orders/*"}"#,
            #"1:45: /plugins/0/lift/output: expected a prefix that ends in "/" and has no "*", "#,
            #"found "orders/*"; write "orders/""#
        ),
        Mistake(
            #"{"output": "host/"}"#,
            #"1:45: /plugins/0/lift/output: types below "host/" belong to the host, found "host/"; "#,
            #"choose another name, only "allow" may list host actions"#
        ),
        Mistake(
            #"{"input": {"host/reload": "x"}}"#,
            #"1:45: /plugins/0/lift/input/host~1reload: types below "host/" belong to the host, "#,
            #"found "host/reload"; choose another name, only "allow" may list host actions"#
        ),
        Mistake(
            #"{"input": {"host/effect/*": "x"}}"#,
            #"1:45: /plugins/0/lift/input/host~1effect~1*: types below "host/" belong to the host, "#,
            #"found "host/effect/*"; choose another name, only "allow" may list host actions"#
        ),
        Mistake(
            #"{"output": {"x": "host/reload"}}"#,
            #"1:51: /plugins/0/lift/output/x: types below "host/" belong to the host, found "host/reload"; "#,
            #"choose another name, only "allow" may list host actions"#
        ),
        Mistake(
            #"{"input": {"": "x"}}"#,
            #"1:45: /plugins/0/lift/input/: expected a name, found ""; write the name or remove the "#,
            #"place for it"#
        ),
        Mistake(
            #"{"input": {"a*b": "x"}}"#,
            #"1:45: /plugins/0/lift/input/a*b: expected a name with "*" nowhere but at its end, found "#,
            #""a*b"; "#,
            "list several names instead"
        ),
        Mistake(
            #"{"input": {"a": ""}}"#,
            #"1:50: /plugins/0/lift/input/a: expected a name, found ""; write the name or remove the "#,
            #"place for it"#
        ),
        Mistake(
            #"{"input": {"a": "b*"}}"#,
            #"1:50: /plugins/0/lift/input/a: expected a name without "*", found "b*"; "#,
            #"the "*" stands for nothing, since "a" has none"#
        ),
        Mistake(
            #"{"input": {"a": "b", "a": "c"}}"#,
            #"1:55: /plugins/0/lift/input/a: duplicate key "a", first given on line 1; keep one of them"#
        ),
        Mistake(
            #"{"state": "orders"}"#,
            #"1:44: /plugins/0/lift/state: expected a JSON Pointer such as "/orders/eu", found "orders"; "#,
            #"begin it with "/""#
        ),
        Mistake(
            #"{"state": "/a~2"}"#,
            #"1:44: /plugins/0/lift/state: expected a JSON Pointer such as "/orders/eu", found "/a~2"; "#,
            #"write "~0" for a "~" in a name"#
        ),
        Mistake(
            #"{"state": "/host/x"}"#,
            #"1:44: /plugins/0/lift/state: the slice "/host" belongs to the host, found "/host/x"; "#,
            "choose a place outside it"
        ),
        Mistake(
            #"{"state": ""}"#,
            #"1:44: /plugins/0/lift/state: the slice "/host" belongs to the host, found ""; "#,
            "choose a place outside it"
        ),
        Mistake(
            #"{"dependencies": ["clock", ""]}"#,
            #"1:61: /plugins/0/lift/dependencies/1: expected a name, found ""; "#,
            "write the name or remove the place for it"
        ),
        Mistake(
            #"{"dependencies": "clock"}"#,
            #"1:51: /plugins/0/lift/dependencies: expected an array of strings, found "clock"; write ["…"]"#
        ),
    ])
    func `a problem of a lift is told`(mistake: Mistake) {
        let messages = ConfigurationMessages.ofEntry(#""lift": \#(mistake.text)"#)
        #expect(messages == ["plugins.json:" + mistake.message])
    }

    @Test func `a slice above, below or equal to an earlier one names its owner`() {
        let text = """
            {"plugins": [
              {"id": "a", "lift": {"state": "/x/y"}},
              {"id": "b", "lift": {"state": "/x"}},
              {"id": "c", "lift": {"state": "/x/y/z"}},
              {"id": "d", "lift": {"state": "/x/y"}},
              {"id": "e", "lift": {"state": "/xy"}}
            ]}
            """
        let advice = "give each instance a place of its own"
        #expect(
            ConfigurationMessages.of(text) == [
                #"plugins.json:3:33: /plugins/1/lift/state: the slice "/x" overlaps "/x/y" of "a" on "#
                    + #"line 2; "#
                    + advice,
                #"plugins.json:4:33: /plugins/2/lift/state: the slice "/x/y/z" overlaps "/x" of "b" "#
                    + #"on line 3; "#
                    + advice,
                #"plugins.json:5:33: /plugins/3/lift/state: the slice "/x/y" overlaps "/x" of "b" on "#
                    + #"line 3; "#
                    + advice,
            ])
    }
}
