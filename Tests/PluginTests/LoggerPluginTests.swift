// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

@testable import LoggerPlugin

@Suite(.timeLimit(.minutes(10))) struct LoggerPluginTests {
    @Test func `a line tells the type and the line of input`() throws {
        let store = try TestStore(Logger.self)
        try store.send(AnyAction("orders/placed", payload: ["id": 1]), from: .input())
        try store.send(AnyAction("sync/failed", error: true), from: .input(info: "sync"))
        #expect(
            store.log == [
                "info: orders/placed from input.ndjson:7", "info: sync/failed (error) from sync",
            ])
    }

    @Test func `a line tells what changed in the state`() throws {
        let host = try LoggedHost()
        try host.set(["counter": ["count": 0], "kept": 1])
        try host.set(["counter": ["count": 1], "kept": 1.0, "log": []])
        try host.set("gone")
        try host.store.send(AnyAction("other"), from: .input())
        #expect(
            host.store.log == [
                "info: state/set from input.ndjson:7: /counter none -> {\"count\":0}, /kept none -> 1",
                "info: state/set from input.ndjson:7: /counter/count 0 -> 1, /log none -> []",
                "info: state/set from input.ndjson:7: (whole) {\"counter\":{\"count\":1},\"kept\":1.0,\"log\":[]} -> \"gone\"",
                "info: other from input.ndjson:7",
            ])
    }

    @Test func `only changes below the pointer are shown, under their whole names`() throws {
        let host = try LoggedHost(settings: ["state": "/a"])
        try host.set(["a": ["b": 1], "c": 2])
        try host.set(["a": ["b": 2], "c": 3])
        #expect(
            host.store.log == [
                "info: state/set from input.ndjson:7: /a none -> {\"b\":1}",
                "info: state/set from input.ndjson:7: /a/b 1 -> 2",
            ])
    }

    @Test func `without the dependency the state is left alone`() throws {
        let store = try TestStore(Logger.self)
        try store.send(AnyAction("state/set", payload: ["a": 1]), from: .input())
        #expect(store.log == ["info: state/set from input.ndjson:7"])
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
        let store = try TestStore(Logger.self, settings: settings, services: TestServices(minimum: .info))
        for type in ["orders/placed", "orders/cancelled", "clock/tick"] as [ActionType] {
            try store.send(AnyAction(type), from: .input())
        }
        #expect(store.log == heard.map { "info: \($0) from input.ndjson:7" })
    }

    @Test(arguments: [["exclude": ["*"]], ["include": ["orders/*"]], ["level": "debug"]] as [Value])
    func `the state is not read for an action that gets no line`(settings: Value) throws {
        let host = try LoggedHost(settings: settings)
        try host.store.send(AnyAction("clock/tick"))
        #expect(host.reads == 0)
        let control = try LoggedHost()
        try control.store.send(AnyAction("clock/tick"))
        #expect(control.reads == 2)
    }

    @Test func `payloads are shown on request and cut at the limit`() throws {
        let store = try TestStore(Logger.self, settings: ["payload": true, "maximumLength": 12])
        try store.send(AnyAction("a", payload: ["id": 1]), from: .input())
        try store.send(AnyAction("b", payload: "äöüäöüäöü"), from: .input())
        try store.send(AnyAction("c"), from: .input())
        #expect(
            store.log == [
                "info: a from input.ndjson:7 with {\"id\":1}", "info: b from input.ndjson:7 with \"äöüäö…",
                "info: c from input.ndjson:7",
            ])
    }

    @Test func `a line in json holds the same facts`() throws {
        let host = try LoggedHost(
            settings: ["format": "json", "payload": true, "level": "warning", "maximumLength": 40])
        try host.set(["n": 1])
        try host.set(["m": [1, nil]], error: true, info: "sync")
        try host.store.send(
            AnyAction("long", payload: .string(String(repeating: "x", count: 50))), from: .input())
        #expect(
            host.store.log == [
                #"warning: {"type":"state/set","source":{"file":"input.ndjson","line":7},"payload":{"n":1},"#
                    + #""changes":[{"at":"/n","to":1}]}"#,
                #"warning: {"type":"state/set","source":{"file":"input.ndjson","line":7,"info":"sync"},"error":true,"#
                    + #""payload":{"m":[1,null]},"changes":[{"at":"/n","from":1},{"at":"/m","to":[1,null]}]}"#,
                #"warning: {"type":"long","source":{"file":"input.ndjson","line":7},"#
                    + #""payload":"\"\#(String(repeating: "x", count: 39))…"}"#,
            ])
    }

    @Test func `many changes are counted beyond the twentieth`() throws {
        let host = try LoggedHost(settings: ["state": "/l"])
        try host.set(["l": []])
        try host.set(["l": .array((0..<23).map { Value($0) })])
        let listed = (0..<20).map { "/l/\($0) none -> \($0)" }.joined(separator: ", ")
        #expect(host.store.log.last == "info: state/set from input.ndjson:7: \(listed) and 3 more")
    }

    @Test(
        arguments: [
            ("text", 20, "/l/19 none -> 19"), ("text", 21, "/l/19 none -> 19 and 1 more"),
            ("json", 20, #"{"at":"/l/19","to":19}]}"#),
            ("json", 21, #"{"at":"/l/19","to":19}],"unlisted":1}"#),
        ] as [(Value, Int, String)])
    func `the first change that is not listed is counted`(format: Value, count: Int, end: String) throws {
        let host = try LoggedHost(settings: ["state": "/l", "format": format])
        try host.set(["l": []])
        try host.set(["l": .array((0..<count).map { Value($0) })])
        #expect(host.store.log.last?.hasSuffix(end) == true)
    }

    @Test func `line breaks from outside stay inside the line`() throws {
        let store = try TestStore(Logger.self)
        try store.send(AnyAction("a\nerror: forged\u{2028}\u{1b}[31m"), from: .input(info: "x\r\ny"))
        #expect(store.log == [#"info: a\nerror: forged\u{2028}\u{1B}[31m from x\r\ny"#])
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
            try TestStore(Logger.self, settings: settings)
        }
        #expect(failure?.pointer.description == place)
    }

    @Test func `a bad pattern and a bad pointer say what to write`() {
        let pattern = #expect(throws: CodingFailure.self) {
            try TestStore(Logger.self, settings: ["include": ["a*b"]])
        }
        #expect(
            pattern?.description
                == #"/include/0: expected an action type, with * at most at its end, found "a*b""#)
        let pointer = #expect(throws: CodingFailure.self) {
            try TestStore(Logger.self, settings: ["state": "orders"])
        }
        #expect(
            pointer?.description == #"/state: expected a JSON Pointer such as "/orders/0", found "orders""#)
    }

    @Test func `the manifest says what the plugin does`() throws {
        try Logger.checkManifest(at: "Plugins/Logger/plugin.json")
    }
}
