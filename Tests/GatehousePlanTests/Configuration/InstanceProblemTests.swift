// SPDX-License-Identifier: Apache-2.0

import GatehousePlanTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct InstanceProblemTests {
    @Test(arguments: [
        Mistake(
            #"{"id": ""}"#,
            #"1:21: /plugins/0/id: expected a name, found ""; "#,
            "write the name or remove the place for it"
        ),
        Mistake(
            #"{"id": 1}"#,
            "1:21: /plugins/0/id: expected a string, found 1; put the text in double quotes"
        ),
        Mistake(
            #"{"id": "host"}"#,
            #"1:21: /plugins/0/id: the id "host" belongs to the host; rename the instance"#
        ),
        Mistake(
            #"{"id": "1st"}"#,
            #"1:21: /plugins/0/id: expected lower-case letters, digits and "-" with a letter first, "#,
            #"found "1st"; rename the instance"#
        ),
        Mistake(
            #"{"id": "a_b"}"#,
            #"1:21: /plugins/0/id: expected lower-case letters, digits and "-" with a letter first, "#,
            #"found "a_b"; rename the instance"#
        ),
        Mistake(
            #"{"id": "größe"}"#,
            #"1:21: /plugins/0/id: expected lower-case letters, digits and "-" with a letter first, "#,
            #"found "größe"; rename the instance"#
        ),
        Mistake(
            #"{"ID": "a"}, {"id": "b", "libary": "x.so"}"#,
            #"1:14: /plugins/0: expected the key "id", found none; add it"#
        ),
        Mistake(
            #"{"id": "a", "was": "a"}"#, #"1:33: /plugins/0/was: "a" is the id that it has; remove "was""#
        ),
        Mistake(
            #"{"id": "a", "was": "b"}, {"id": "b"}"#,
            #"1:33: /plugins/0/was: "b" is the id of another entry, which keeps its state; remove "was""#
        ),
        Mistake(
            #"{"id": "a", "was": "c"}, {"id": "b", "was": "c"}"#,
            #"1:58: /plugins/1/was: the state of "c" goes to "a" already; remove "was""#
        ),
    ])
    func `the first problem of an entry is told`(mistake: Mistake) {
        let messages = ConfigurationMessages.of(#"{"plugins": [\#(mistake.text)]}"#)
        #expect(messages.first == "plugins.json:" + mistake.message)
    }

    @Test(arguments: [
        Mistake(
            #""libary": "x.so""#,
            #"1:26: /plugins/0/libary: unknown key "libary"; did you mean "library"?"#
        ),
        Mistake(
            #""library": """#,
            #"1:37: /plugins/0/library: expected a file name, found ""; "#,
            "put the library into the plugin folder and name it without a path"
        ),
        Mistake(
            #""library": "..""#,
            #"1:37: /plugins/0/library: expected a file name, found ".."; "#,
            "put the library into the plugin folder and name it without a path"
        ),
        Mistake(
            #""library": "../x.so""#,
            #"1:37: /plugins/0/library: expected a file name, found "../x.so"; "#,
            "put the library into the plugin folder and name it without a path"
        ),
        Mistake(
            #""sha256": "12ab""#,
            #"1:36: /plugins/0/sha256: expected 64 hexadecimal digits, found "12ab"; "#,
            "copy what sha256sum prints for the library"
        ),
        Mistake(
            #""sha256": "gggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggggg""#,
            #"1:36: /plugins/0/sha256: expected 64 hexadecimal digits, "#,
            #"found "gggggggggggggggggggggggggggggggggggggggggggggggggggggggggggg…"; "#,
            "copy what sha256sum prints for the library"
        ),
        Mistake(
            #""sha256": {"libA.so": 1}"#,
            #"1:48: /plugins/0/sha256/libA.so: expected a string, found 1; put the text in double quotes"#
        ),
        Mistake(
            #""sha256": {}"#,
            "1:36: /plugins/0/sha256: expected at least one digest by file name, found an object; name the library and what it brings along"
        ),
        Mistake(
            #""optional": 0"#,
            "1:38: /plugins/0/optional: expected true or false, found 0; write it without quotes"
        ),
        Mistake(
            #""settings": {"x": [{"y": 1, "y": 1}]}"#,
            #"1:54: /plugins/0/settings/x/0/y: duplicate key "y", first given on line 1; keep one of them"#
        ),
        Mistake(
            #""allow": "orders/*""#,
            #"1:35: /plugins/0/allow: expected an array of strings, found "orders/*"; write ["…"]"#
        ),
        Mistake(
            #""allow": ["a", ""]"#,
            #"1:41: /plugins/0/allow/1: expected a name, found ""; write the name or remove the place for it"#
        ),
        Mistake(
            #""allow": ["*/placed"]"#,
            #"1:36: /plugins/0/allow/0: expected a name with "*" nowhere but at its end, found "*/placed"; "#,
            "list several names instead"
        ),
        Mistake(
            #""allow": [1]"#,
            "1:36: /plugins/0/allow/0: expected a string, found 1; put the text in double quotes"
        ),
    ])
    func `a problem inside an entry is told`(mistake: Mistake) {
        #expect(ConfigurationMessages.ofEntry(mistake.text) == ["plugins.json:" + mistake.message])
    }

    @Test func `each later entry with an id names the line of the first`() {
        let text = """
            {"plugins": [
              {"id": "a"},
              {"id": "a"},
              {"id": "a"}
            ]}
            """
        #expect(
            ConfigurationMessages.of(text) == [
                #"plugins.json:3:10: /plugins/1/id: the id "a" is taken by the entry on line 2; "#
                    + "give each instance an id of its own",
                #"plugins.json:4:10: /plugins/2/id: the id "a" is taken by the entry on line 2; "#
                    + "give each instance an id of its own",
            ])
    }
}
