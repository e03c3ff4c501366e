// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import LoggerPlugin

@Suite struct LoggerPluginTests {
    @Test func `a line tells the type and the line of input`() throws {
        let harness = try PluginHarness(Logger.self)
        harness.send("orders/placed", ["id": 1])
        harness.send("sync/failed", error: true, info: "sync")
        #expect(
            harness.lines == [
                "info: orders/placed from input.ndjson:7", "info: sync/failed (error) from sync",
            ])
    }

    @Test func `a line tells what changed in the state`() throws {
        let harness = try PluginHarness(Logger.self, granted: ["state"])
        harness.send("state/set", ["counter": ["count": 0], "kept": 1])
        harness.send("state/set", ["counter": ["count": 1], "kept": 1.0, "log": []])
        harness.send("state/set", "gone")
        harness.send("other")
        #expect(
            harness.lines == [
                "info: state/set from input.ndjson:7: /counter none -> {\"count\":0}, /kept none -> 1",
                "info: state/set from input.ndjson:7: /counter/count 0 -> 1, /log none -> []",
                "info: state/set from input.ndjson:7: (whole) {\"counter\":{\"count\":1},\"kept\":1.0,\"log\":[]} -> \"gone\"",
                "info: other from input.ndjson:7",
            ])
    }

    @Test func `only changes below the pointer are shown, under their whole names`() throws {
        let harness = try PluginHarness(Logger.self, settings: ["state": "/a"], granted: ["state"])
        harness.send("state/set", ["a": ["b": 1], "c": 2])
        harness.send("state/set", ["a": ["b": 2], "c": 3])
        #expect(
            harness.lines == [
                "info: state/set from input.ndjson:7: /a none -> {\"b\":1}",
                "info: state/set from input.ndjson:7: /a/b 1 -> 2",
            ])
    }

    @Test func `without the dependency the state is left alone`() throws {
        let harness = try PluginHarness(Logger.self)
        harness.send("state/set", ["a": 1])
        #expect(harness.lines == ["info: state/set from input.ndjson:7"])
    }

    @Test(
        arguments: [
            ([:], ["orders/placed", "orders/cancelled", "clock/tick"]),
            (["include": ["orders/*"]], ["orders/placed", "orders/cancelled"]),
            (["exclude": ["clock/*", "orders/placed"]], ["orders/cancelled"]),
            (["include": ["orders/*", "clock/tick"], "exclude": ["*"]], []),
            (["include": []], []),
            (["level": "debug"], []),
        ] as [(Value, [String])])
    func `filters and levels choose the actions`(settings: Value, heard: [String]) throws {
        let harness = try PluginHarness(Logger.self, settings: settings, minimum: .info)
        for type in ["orders/placed", "orders/cancelled", "clock/tick"] { harness.send(ActionType(type)) }
        #expect(harness.lines == heard.map { "info: \($0) from input.ndjson:7" })
    }

    @Test(arguments: [["exclude": ["*"]], ["include": ["orders/*"]], ["level": "debug"]] as [Value])
    func `the state is not read for an action that gets no line`(settings: Value) throws {
        let harness = try PluginHarness(Logger.self, settings: settings, granted: ["state"], minimum: .info)
        harness.send("clock/tick")
        #expect(harness.stateReads == 0)
        let control = try PluginHarness(Logger.self, granted: ["state"], minimum: .info)
        control.send("clock/tick")
        #expect(control.stateReads == 2)
    }

    @Test func `payloads are shown on request and cut at the limit`() throws {
        let harness = try PluginHarness(Logger.self, settings: ["payload": true, "maximumLength": 12])
        harness.send("a", ["id": 1])
        harness.send("b", "äöüäöüäöü")
        harness.send("c")
        #expect(
            harness.lines == [
                "info: a from input.ndjson:7 with {\"id\":1}", "info: b from input.ndjson:7 with \"äöüäö…",
                "info: c from input.ndjson:7",
            ])
    }

    @Test func `a line in json holds the same facts`() throws {
        let harness = try PluginHarness(
            Logger.self,
            settings: ["format": "json", "payload": true, "level": "warning", "maximumLength": 40],
            granted: ["state"])
        harness.send("state/set", ["n": 1])
        harness.send("state/set", ["m": [1, nil]], error: true, info: "sync")
        harness.send("long", .string(String(repeating: "x", count: 50)))
        #expect(
            harness.lines == [
                #"warning: {"type":"state/set","source":{"file":"input.ndjson","line":7},"payload":{"n":1},"#
                    + #""changes":[{"at":"/n","to":1}]}"#,
                #"warning: {"type":"state/set","source":{"file":"input.ndjson","line":7,"info":"sync"},"error":true,"#
                    + #""payload":{"m":[1,null]},"changes":[{"at":"/n","from":1},{"at":"/m","to":[1,null]}]}"#,
                #"warning: {"type":"long","source":{"file":"input.ndjson","line":7},"#
                    + #""payload":"\"\#(String(repeating: "x", count: 39))…"}"#,
            ])
    }

    @Test func `many changes are counted beyond the twentieth`() throws {
        let harness = try PluginHarness(Logger.self, settings: ["state": "/l"], granted: ["state"])
        harness.send("state/set", ["l": []])
        harness.send("state/set", ["l": .array((0..<23).map { Value($0) })])
        let listed = (0..<20).map { "/l/\($0) none -> \($0)" }.joined(separator: ", ")
        #expect(harness.lines.last == "info: state/set from input.ndjson:7: \(listed) and 3 more")
    }

    @Test(
        arguments: [
            ("text", 20, "/l/19 none -> 19"), ("text", 21, "/l/19 none -> 19 and 1 more"),
            ("json", 20, #"{"at":"/l/19","to":19}]}"#),
            ("json", 21, #"{"at":"/l/19","to":19}],"unlisted":1}"#),
        ] as [(Value, Int, String)])
    func `the first change that is not listed is counted`(format: Value, count: Int, end: String) throws {
        let harness = try PluginHarness(
            Logger.self, settings: ["state": "/l", "format": format], granted: ["state"])
        harness.send("state/set", ["l": []])
        harness.send("state/set", ["l": .array((0..<count).map { Value($0) })])
        #expect(harness.lines.last?.hasSuffix(end) == true)
    }

    @Test func `line breaks from outside stay inside the line`() throws {
        let harness = try PluginHarness(Logger.self)
        harness.send("a\nerror: forged\u{2028}\u{1b}[31m", info: "x\r\ny")
        #expect(harness.lines == [#"info: a\nerror: forged\u{2028}\u{1B}[31m from x\r\ny"#])
    }

    @Test(
        arguments: [
            (["format": "xml"], "/format"), (["level": "loud"], "/level"),
            (["include": ["a*b"]], "/include/0"),
            (["exclude": ["a", ""]], "/exclude/1"), (["state": "orders"], "/state"),
            (["maximumLength": -1], "/maximumLength"),
        ] as [(Value, String)])
    func `settings that do not fit are refused with their place`(settings: Value, place: String) {
        let failure = #expect(throws: CodingFailure.self) {
            try PluginHarness(Logger.self, settings: settings)
        }
        #expect(failure?.pointer.description == place)
    }

    @Test func `a bad pattern and a bad pointer say what to write`() {
        let pattern = #expect(throws: CodingFailure.self) {
            try PluginHarness(Logger.self, settings: ["include": ["a*b"]])
        }
        #expect(
            pattern?.description
                == #"/include/0: expected an action type, with * at most at its end, found "a*b""#)
        let pointer = #expect(throws: CodingFailure.self) {
            try PluginHarness(Logger.self, settings: ["state": "orders"])
        }
        #expect(
            pointer?.description == #"/state: expected a JSON Pointer such as "/orders/0", found "orders""#)
    }
}
