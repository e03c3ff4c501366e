// SPDX-License-Identifier: Apache-2.0

import GatehousePlanTesting
import GatehouseValue
import Testing

@Suite(.timeLimit(.minutes(10))) struct ConfigurationProblemTests {
    @Test func `all problems of a file are reported at once, in the order of the file`() {
        let text = """
            {
              "directory": 12,
              "discvery": "activate",
              "discovery": "activat",
              "limits": {"chain": 0},
              "state": { "a": { "b": 1, "b": 2 }, "host": {} },
              "ingress": { "allow": ["orders/*/x", "host/*"], "maximumLineBytes": 100 },
              "plugins": [
                { "id": "logger", "settings": [] },
                { "id": "Logger" },
                { "library": "a/b.so" },
                { "id": "sync", "gate": { "control": { "type": "app/sync" }, "defualt": "bypass" } },
                { "id": "logger", "optional": "yes" },
                { "id": "x", "lift": { "state": "/a" } },
                { "id": "y", "lift": { "state": "/a/b" }, "id": "z" }
              ]
            }
            """
        #expect(
            ConfigurationMessages.of(text) == [
                #"plugins.json:2:16: /directory: expected a string, found 12; put the text in double quotes"#,
                #"plugins.json:3:3: /discvery: unknown key "discvery"; did you mean "discovery"?"#,
                #"plugins.json:4:16: /discovery: expected "activate", "list" or "ignore", found "activat"; "#
                    + #"did you mean "activate"?"#,
                #"plugins.json:5:23: /limits/chain: expected a whole number from 1 to 1000000, found 0; "#
                    + "write one in that range",
                #"plugins.json:6:29: /state/a/b: duplicate key "b", first given on line 6; keep one of them"#,
                #"plugins.json:6:39: /state/host: the slice "/host" belongs to the host, found "/host"; "#
                    + "choose a place outside it",
                #"plugins.json:7:26: /ingress/allow/0: expected a name with "*" nowhere but at its end, "#
                    + #"found "orders/*/x"; list several names instead"#,
                #"plugins.json:7:71: /ingress/maximumLineBytes: expected a whole number from 1024 to "#
                    + "1073741824, found 100; write one in that range",
                #"plugins.json:9:35: /plugins/0/settings: expected an object, found an array; "#
                    + #"write { "key": value }"#,
                #"plugins.json:10:13: /plugins/1/id: expected lower-case letters, digits and "-" with "#
                    + #"a letter "#
                    + #"first, found "Logger"; rename the instance"#,
                #"plugins.json:11:5: /plugins/2: expected the key "id", found none; add it"#,
                #"plugins.json:11:18: /plugins/2/library: expected a file name, found "a/b.so"; "#
                    + "put the library into the plugin folder and name it without a path",
                #"plugins.json:12:66: /plugins/3/gate/defualt: unknown key "defualt"; did you mean "#
                    + #""default"?"#,
                #"plugins.json:13:13: /plugins/4/id: the id "logger" is taken by the entry on line 9; "#
                    + "give each instance an id of its own",
                #"plugins.json:13:35: /plugins/4/optional: expected true or false, found "yes"; "#
                    + "write it without quotes",
                #"plugins.json:15:37: /plugins/6/lift/state: the slice "/a/b" overlaps "/a" of "x" on "#
                    + #"line 14; "#
                    + "give each instance a place of its own",
                #"plugins.json:15:47: /plugins/6/id: duplicate key "id", first given on line 15; "#
                    + "keep one of them",
            ])
    }

    @Test(arguments: [
        Mistake("", "plugins.json:1:1: expected a value, found nothing but white space"),
        Mistake("{\n  \"a\": 1\n  \"b\": 2\n}", "plugins.json:3:3: expected ',' or '}', found '\"'"),
        Mistake(
            "{\"plugins\": [],\n}",
            "plugins.json:1:15: expected a value after ',', found a closing bracket; remove the comma"
        ),
        Mistake("{} x", "plugins.json:1:4: expected the end of the text, found 'x'"),
        Mistake(
            "{\"directory\": tru}",
            "plugins.json:1:15: expected a value, found tru; bare words are true, false and null"
        ),
    ])
    func `text that is not JSON gives its first error alone`(mistake: Mistake) {
        #expect(ConfigurationMessages.of(mistake.text) == [mistake.message])
    }

    @Test(arguments: [
        Mistake("[]", #"plugins.json:1:1: expected an object, found an array; write { "key": value }"#),
        Mistake(" null", #"plugins.json:1:2: expected an object, found null; write { "key": value }"#),
        Mistake(
            #"{"directory": ""}"#,
            #"plugins.json:1:15: /directory: expected the path of a folder, found ""; "#,
            #"write "." for the folder of this file"#
        ),
        Mistake(
            #"{"directory": "a\u0000b"}"#,
            #"plugins.json:1:15: /directory: expected the path of a folder, found "a\u0000b"; "#,
            #"write "." for the folder of this file"#
        ),
        Mistake(
            #"{"directory": null}"#,
            #"plugins.json:1:15: /directory: expected a string, found null; put the text in double quotes"#
        ),
        Mistake(
            #"{"zzz": 1}"#,
            #"plugins.json:1:2: /zzz: unknown key "zzz", expected "$schema", "name", "control", "directory", "discovery", "#,
            #""placement", "trust", "images", "state", "stateFile", "journal", "cluster", "ingress", "limits", "supervise", "log", "traces" or "plugins"; rename or remove it"#
        ),
        Mistake(
            #"{"directory": "a", "directory": 1}"#,
            #"plugins.json:1:20: /directory: duplicate key "directory", first given on line 1; keep "#,
            #"one of them"#
        ),
        Mistake(
            #"{"discovery": "never"}"#,
            #"plugins.json:1:15: /discovery: expected "activate", "list" or "ignore", found "never"; "#,
            "choose one of them"
        ),
        Mistake(
            #"{"discovery": {}}"#,
            #"plugins.json:1:15: /discovery: expected "activate", "list" or "ignore", found an object; "#,
            "choose one of them"
        ),
        Mistake(
            #"{"images": "memroy"}"#,
            #"plugins.json:1:12: /images: expected "cache" or "memory", found "memroy"; did you mean "#,
            #""memory"?"#
        ),
        Mistake(
            #"{"limits": {"chain": 1.5}}"#,
            "plugins.json:1:22: /limits/chain: expected a whole number from 1 to 1000000, found 1.5; ",
            "write one in that range"
        ),
        Mistake(
            #"{"limits": {"actions": 1e999}}"#,
            "plugins.json:1:24: /limits/actions: expected a whole number from 1 to 100000000, found 1e999; ",
            "write one in that range"
        ),
        Mistake(
            #"{"limits": {"chain": "5"}}"#,
            #"plugins.json:1:22: /limits/chain: expected a whole number from 1 to 1000000, found "5"; "#,
            "write one in that range"
        ),
        Mistake(
            #"{"limits": {"waiting": 0}}"#,
            "plugins.json:1:24: /limits/waiting: expected a whole number from 1 to 100000000, found 0; ",
            "write one in that range"
        ),
        Mistake(
            #"{"limits": {"waitng": 1}}"#,
            #"plugins.json:1:13: /limits/waitng: unknown key "waitng"; did you mean "waiting"?"#
        ),
        Mistake(
            #"{"traces": {}}"#,
            #"plugins.json:1:12: /traces: expected the key "endpoint", found none; add it"#
        ),
        Mistake(
            #"{"traces": {"sample": 2, "endpoint": "http://a"}}"#,
            "plugins.json:1:23: /traces/sample: expected a number from 0 to 1, found 2; write 1 to send every trace"
        ),
        Mistake(
            #"{"cluster": {"engine": "redis://a", "name": "a"}, "traces": {"endpoint": "http://a"}}"#,
            #"plugins.json:1:51: /traces: "traces" follow actions through one host, and "cluster" shares them among several; remove one of them"#
        ),
        Mistake(
            #"{"traces": {"endpoint": "localhost:4318"}}"#,
            #"plugins.json:1:25: /traces/endpoint: expected a URL that begins with http:// or https://, found "localhost:4318"; write for instance "http://localhost:4318/v1/traces""#
        ),
        Mistake(
            #"{"log": {"format": "jsn"}}"#,
            #"plugins.json:1:20: /log/format: expected "text" or "json", found "jsn"; did you mean "json"?"#
        ),
        Mistake(
            #"{"log": {"level": "warn"}}"#,
            #"plugins.json:1:19: /log/level: expected "debug", "info", "warning" or "error", found "warn"; choose one of them"#
        ),
        Mistake(
            #"{"maximumChain": 50}"#,
            #"plugins.json:1:2: /maximumChain: unknown key "maximumChain"; it is now "limits"/"chain""#
        ),
        Mistake(
            #"{"limits": {"maximumChain": 50}}"#,
            #"plugins.json:1:13: /limits/maximumChain: unknown key "maximumChain", expected "chain", "#,
            #""actions", "bytes", "waiting", "rehearsal", "memory", "cpu" or "groups"; rename or remove it"#
        ),
        Mistake(
            #"{"journal": {"mode": "strickt"}}"#,
            #"plugins.json:1:22: /journal/mode: expected "strict" or "relaxed", found "strickt"; did you mean "#,
            #""strict"?"#
        ),
        Mistake(
            #"{"journal": {"snapshotEvry": 5}}"#,
            #"plugins.json:1:14: /journal/snapshotEvry: unknown key "snapshotEvry"; did you mean "snapshotEvery"?"#
        ),
        Mistake(
            #"{"journal": {"keep": {"megabytes": 0}}}"#,
            "plugins.json:1:36: /journal/keep/megabytes: expected a whole number from 1 to 16777216, found 0; ",
            "write one in that range"
        ),
        Mistake(
            #"{"journal": {"keep": {"day": 1}}}"#,
            #"plugins.json:1:23: /journal/keep/day: unknown key "day"; did you mean "days"?"#
        ),
        Mistake(
            #"{"journal": {"deduplicate": -1}}"#,
            "plugins.json:1:29: /journal/deduplicate: expected a whole number from 0 to 604800, found -1; ",
            "write one in that range"
        ),
        Mistake(
            #"{"journal": "journal"}"#,
            #"plugins.json:1:13: /journal: expected an object, found "journal"; write { "key": value }"#
        ),
        Mistake(
            #"{"journal": {"directory": ""}}"#,
            #"plugins.json:1:27: /journal/directory: expected the path of a folder, found ""; "#,
            #"write "." for the folder of this file"#
        ),
        Mistake(
            #"{"stateFile": "s", "journal": {}}"#,
            #"plugins.json:1:2: /stateFile: "stateFile" and "journal" both keep the state; remove one of them, "#,
            #"and with "journal" the state is recovered from there"#
        ),
        Mistake(
            #"{"state": [1]}"#,
            #"plugins.json:1:11: /state: expected an object, found an array; write { "key": value }"#
        ),
        Mistake(
            #"{"ingress": true}"#,
            #"plugins.json:1:13: /ingress: expected an object, found true; write { "key": value }"#
        ),
        Mistake(
            #"{"ingress": {"allow": "host/*"}}"#,
            #"plugins.json:1:23: /ingress/allow: expected an array of strings, found "host/*"; write ["…"]"#
        ),
        Mistake(
            #"{"ingress": {"allow": ["host/*/x"]}}"#,
            #"plugins.json:1:24: /ingress/allow/0: expected a name with "*" nowhere but at its end, "#,
            #"found "host/*/x"; list several names instead"#
        ),
        Mistake(
            #"{"ingress": {"wrap": {}}}"#,
            #"plugins.json:1:22: /ingress/wrap: expected the key "type" or "typeAt", found neither; "#,
            "name the action of each line, or where it stands"
        ),
        Mistake(
            #"{"ingress": {"wrap": {"type": "a", "typeAt": "/a"}}}"#,
            #"plugins.json:1:36: /ingress/wrap/typeAt: "type" and "typeAt" are both given; keep one of them"#
        ),
        Mistake(
            #"{"ingress": {"wrap": {"type": "a/*"}}}"#,
            #"plugins.json:1:31: /ingress/wrap/type: expected one action type, found the pattern "a/*"; "#,
            #"write the type without "*""#
        ),
        Mistake(
            #"{"ingress": {"wrap": {"typeAt": "event"}}}"#,
            #"plugins.json:1:33: /ingress/wrap/typeAt: expected a JSON Pointer such as "/orders/eu", "#,
            #"found "event"; begin it with "/""#
        ),
        Mistake(
            #"{"ingress": {"wrap": {"type": "host/state/merge"}}}"#,
            #"plugins.json:1:31: /ingress/wrap/type: input may not carry host actions; "#,
            #"allow this one in "ingress"/"allow""#
        ),
        Mistake(
            #"{"ingress": {"allow": ["b/*"], "wrap": {"type": "a/b"}}}"#,
            #"plugins.json:1:49: /ingress/wrap/type: input may not carry it: "#,
            #""ingress"/"allow" does not list it; add it there"#
        ),
        Mistake(
            #"{"ingress": {"deny": ["a/*"], "wrap": {"type": "a/b"}}}"#,
            #"plugins.json:1:48: /ingress/wrap/type: input may not carry it: "ingress"/"deny" lists "a/*""#
        ),
        Mistake(
            "{ /* a\nb */ \"ingress\": // c\n  true }",
            #"plugins.json:3:3: /ingress: expected an object, found true; write { "key": value }"#
        ),
        Mistake(
            "{ \"plugins\": [] // all\n  /* and no end\n}",
            "plugins.json:2:3: expected a closing '*/' for the comment that starts here, found none"
        ),
        Mistake("{ / }", "plugins.json:1:3: expected a member name in double quotes, found '/'"),
        Mistake(
            #"{"plugins": {}}"#,
            #"plugins.json:1:13: /plugins: expected an array of objects, found an object; "#,
            #"write [{ "id": "…" }]"#
        ),
        Mistake(
            #"{"plugins": ["logger"]}"#,
            #"plugins.json:1:14: /plugins/0: expected an object, found "logger"; write { "key": value }"#
        ),
    ])
    func `a problem of the whole file is told`(mistake: Mistake) {
        #expect(ConfigurationMessages.of(mistake.text) == [mistake.message])
    }

    @Test func `keys in a pointer are escaped`() {
        #expect(
            ConfigurationMessages.of(#"{"ingress": {"a/b~\n": 1}}"#) == [
                "plugins.json:1:14: /ingress/a~1b~0\\n: unknown key \"a/b~\\n\", expected \"allow\", "
                    + "\"deny\", \"wrap\", \"listen\", \"tail\", \"input\", \"keep\" or \"maximumLineBytes\"; rename or remove it"
            ])
    }

    @Test func `long text is cut`() {
        let name = String(repeating: "x", count: 10_000)
        let shown = String(repeating: "x", count: 60) + "…"
        #expect(
            ConfigurationMessages.of(#"{"discovery": "\#(name)"}"#) == [
                #"plugins.json:1:15: /discovery: expected "activate", "list" or "ignore", "#
                    + #"found "\#(shown)"; choose one of them"#
            ])
    }

    @Test func `keys that only look the same are different keys`() {
        #expect(ConfigurationMessages.of("{\"state\": {\"\u{e9}\": 1, \"e\u{301}\": 2}}") == [])
    }
}
