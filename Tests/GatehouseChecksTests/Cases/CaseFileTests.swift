// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseChecks
@testable import GatehouseSupport

@Suite(.timeLimit(.minutes(10))) struct CaseFileTests {
    /// What is wrong with a file, as an operator reads it.
    private func problems(_ text: String, file: String = "a.test.json") -> [String] {
        CaseFile.parse(Array(text.utf8), file: file).diagnostics.all.map(\.description)
    }

    /// The only case of a file with these members.
    private func onlyCase(_ members: String) throws -> TestCase {
        let (file, diagnostics) = CaseFile.parse(
            Array(#"{ "cases": [{ "name": "a", \#(members) }] }"#.utf8), file: "a.test.json")
        #expect(diagnostics.all == [])
        return try #require(file?.cases.first)
    }

    // MARK: - The file

    @Test(arguments: [
        ("plugins.test.json", "{}", "plugins.json"), ("b/shop.test.json", "{}", "b/shop.json"),
        ("b/shop.test.json", #"{ "config": "plugins.json" }"#, "b/plugins.json"),
        ("b/cases.json", #"{ "config": "../plugins.json" }"#, "b/../plugins.json"),
        ("b/cases.json", #"{ "config": "/etc/plugins.json" }"#, "/etc/plugins.json"),
        ("cases.json", #"{ "config": "plugins.json" }"#, "plugins.json"),
    ])
    func `a file names its configuration, from its own folder or by its own name`(
        file: String, text: String, configuration: String
    ) {
        let full = text.dropLast() + (text == "{}" ? "" : ", ") + #""cases": [] }"#
        let (read, diagnostics) = CaseFile.parse(Array(full.utf8), file: file)
        #expect(diagnostics.all == [])
        #expect(read?.configuration == configuration)
    }

    @Test func `the caller's configuration goes before the file's`() {
        let text = #"{ "config": "a.json", "cases": [] }"#
        #expect(
            CaseFile.parse(Array(text.utf8), file: "x/c.json", configuration: "b.json").file?.configuration
                == "b.json")
    }

    @Test(arguments: [
        ("plugins.json", "plugins.test.json"), ("a/shop.json", "a/shop.test.json"), ("a", "a.test.json"),
    ])
    func `the cases of a configuration stand beside it`(configuration: String, file: String) {
        #expect(CaseFile.name(beside: configuration) == file)
    }

    @Test func `a file that is no JSON gives its first mistake, and comments are none`() {
        #expect(
            problems("{ // all of them\n \"cases\": [] /* none yet */ }") == [])
        #expect(problems("{ \"cases\": [ }") == ["a.test.json:1:14: expected a value, found '}'"])
    }

    @Test func `all mistakes of a file are told at once, each with its place`() {
        let text = """
            { "config": "",
              "casez": [], "cases": [
              { "name": "a", "send": { "type": "x" }, "exect": [] },
              { "name": "a", "expect": { "exactly": [], "none": ["a*b"] }, "advance": "5 parsecs", "steps": [] },
              { "name": "", "steps": [ { "state": { "orders": 1 }, "gates": { "orders-eu": "open" } } ],
                "start": { "clock": "2026-02-29T00:00:00Z", "state": { "host": 1 } }, "effects": "stub" },
              { "name": "nothing" }, { "expect": "x" }, 7 ] }
            """
        #expect(
            problems(text) == [
                #"a.test.json:1:13: /config: expected the path of a configuration, found ""; write "plugins.json" for the one beside this file"#,
                #"a.test.json:2:3: /casez: unknown key "casez"; did you mean "cases"?"#,
                #"a.test.json:3:43: /cases/0/exect: unknown key "exect"; did you mean "expect"?"#,
                #"a.test.json:4:13: /cases/1/name: the name "a" is taken by the case on line 3; rename one of them"#,
                #"a.test.json:4:18: /cases/1/expect: "steps" and "expect" are both given; put it into a step of its own"#,
                #"a.test.json:4:64: /cases/1/advance: "steps" and "advance" are both given; put it into a step of its own"#,
                #"a.test.json:5:13: /cases/2/name: expected a name, found ""; write the name or remove the place for it"#,
                #"a.test.json:5:41: /cases/2/steps/0/state/orders: expected a JSON Pointer such as "/orders/eu" as the key, found "orders"; begin it with "/""#,
                #"a.test.json:5:80: /cases/2/steps/0/gates/orders-eu: expected "active" or "bypass", found "open"; choose one of them"#,
                #"a.test.json:6:25: /cases/2/start/clock: expected a moment such as "2026-01-31T12:00:00Z", found "2026-02-29T00:00:00Z"; write date and time in UTC, or seconds since 1970"#,
                #"a.test.json:6:60: /cases/2/start/state/host: the slice "/host" belongs to the host, found "/host"; choose a place outside it"#,
                #"a.test.json:6:86: /cases/2/effects: expected "real" or "stubbed", found "stub"; choose one of them"#,
                #"a.test.json:7:3: /cases/3: the case expects nothing; add "expect", "state", "gates" or "reports""#,
                #"a.test.json:7:26: /cases/4: expected the key "name", found none; add it"#,
                #"a.test.json:7:38: /cases/4/expect: expected an array of actions, or an object with "exactly", "among" or "none", found "x"; write [] for no action"#,
                #"a.test.json:7:45: /cases/5: expected an object, found 7; write { "key": value }"#,
            ])
    }

    @Test func `a file without cases, or whose name tells no configuration, says what to add`() {
        #expect(problems("{}") == [#"a.test.json:1:1: expected the key "cases", found none; add it"#])
        #expect(
            problems(#"{ "cases": [] }"#, file: "cases.json") == [
                #"cases.json:1:1: expected the key "config", found none; name the configuration there, or let the name of this file end in ".test.json""#
            ])
        #expect(
            problems(#"{ "cases": {} }"#) == [
                #"a.test.json:1:12: /cases: expected an array of objects, found an object; write [{ "name": "…" }]"#
            ])
    }

    // MARK: - Time

    @Test(arguments: [
        ("0", 0), ("2.5", 2_500), (#""250ms""#, 250), (#""5s""#, 5_000), (#""1.5m""#, 90_000),
        (#""2h""#, 7_200_000),
        (#""1d""#, 86_400_000),
    ])
    func `a duration is a number of seconds, or a number with its unit`(text: String, milliseconds: Int)
        throws
    {
        #expect(
            try onlyCase(#""advance": \#(text), "expect": []"#).steps[0].advance
                == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        (#""-5s""#, #""-5s""#), (#""5""#, #""5""#), (#""s""#, #""s""#), (#""0x10s""#, #""0x10s""#),
        ("-1", "-1"),
        ("null", "null"), (#""3651d""#, #""3651d""#), (#""infs""#, #""infs""#), (#""1.2.3s""#, #""1.2.3s""#),
    ])
    func `what is no duration is told`(text: String, found: String) {
        #expect(
            problems(#"{"cases": [{"name": "a", "expect": [], "advance": \#(text)}]}"#) == [
                #"a.test.json:1:51: /cases/0/advance: expected a duration of at most 3650 days, such as "250ms", "5s", "10m", "2h" or "1d", found \#(found); write a number with its unit, or a number of seconds"#
            ])
    }

    @Test(arguments: [
        ("1e9", 1_000_000_000), (#""1970-01-01T00:00:00Z""#, 0), (#""1969-12-31T23:59:59.5Z""#, -0.5),
        (#""2000-02-29T12:30:15Z""#, 951_827_415), (#""2026-01-31T12:00:00.25Z""#, 1_769_860_800.25),
        (#""2100-03-01T00:00:00Z""#, 4_107_542_400), (#""0001-01-01T00:00:00Z""#, -62_135_596_800),
    ])
    func `the clock begins at a date and time in UTC, or at seconds since 1970`(text: String, seconds: Double)
        throws
    {
        #expect(try onlyCase(#""start": { "clock": \#(text) }, "expect": []"#).start.clock == seconds)
    }

    @Test(arguments: [
        "2100-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-00T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00",
        "2026-01-01 00:00:00Z", "2026-01-01", "",
    ])
    func `what is no moment is told`(text: String) {
        #expect(
            problems(#"{"cases": [{"name": "a", "expect": [], "start": {"clock": "\#(text)"}}]}"#) == [
                #"a.test.json:1:59: /cases/0/start/clock: expected a moment such as "2026-01-31T12:00:00Z", found "\#(text)"; write date and time in UTC, or seconds since 1970"#
            ])
    }

    // MARK: - What is expected

    /// Whether an expectation of outputs agrees with some.
    private func agrees(_ expectation: String, _ found: [EmittedAction]) throws -> Bool {
        let expect = try #require(try onlyCase(#""expect": \#(expectation)"#).steps[0].expect)
        return expect.objection(to: found) == nil
    }

    /// An action as an instance emits it.
    private func emitted(
        _ type: String, _ payload: Value? = nil, isError: Bool = false, meta: Value? = nil
    ) -> EmittedAction {
        EmittedAction(type: type, payload: payload, isError: isError, meta: meta, emitter: "someone")
    }

    @Test(arguments: [
        (#"["a"]"#, true), (#"["a*"]"#, true), (#"["b"]"#, false), (#"[{ "type": "a" }]"#, false),
        (#"[{ "type": "a", "payload": { "n": 1.0, "list": [1, 2] } }]"#, true),
        (#"[{ "type": "a", "payload": { "n": 1 } }]"#, false),
        (#"[{ "type": "a", "where": { "/n": 1 } }]"#, true),
        (#"[{ "type": "a", "where": { "/list/1": 2, "/m": null } }]"#, true),
        (#"[{ "type": "a", "where": { "/list/1": 3 } }]"#, false), (#"[{ "type": "a", "where": {} }]"#, true),
        (#"[{ "type": "a", "where": {}, "error": true }]"#, false),
        (#"[{ "type": "a", "where": {}, "meta": { "k": 1 } }]"#, true),
        (#"[{ "type": "a", "where": {}, "meta": {} }]"#, false), ("[]", false), (#"["a", "a"]"#, false),
    ])
    func `an action is expected by its type, with its payload or parts of it`(text: String, agrees: Bool)
        throws
    {
        let action = emitted("a", ["n": 1, "list": [1, 2]], meta: ["k": 1])
        #expect(try self.agrees(text, [action]) == agrees)
    }

    @Test func `an action without a payload is expected without one, an error as one`() throws {
        #expect(try agrees(#"[{ "type": "a" }]"#, [emitted("a")]))
        #expect(try !agrees(#"[{ "type": "a", "payload": null }]"#, [emitted("a")]))
        #expect(try agrees(#"[{ "type": "a", "payload": null }]"#, [emitted("a", .null)]))
        #expect(try agrees(#"[{ "type": "a", "error": true }]"#, [emitted("a", isError: true)]))
        #expect(try !agrees(#"[{ "type": "a" }]"#, [emitted("a", isError: true)]))
        #expect(try agrees(#"["a"]"#, [emitted("a", isError: true)]))
    }

    @Test(arguments: [
        (#"["a", "b"]"#, false), (#"["a", "b", "c"]"#, true), (#"{ "exactly": ["a", "b"] }"#, false),
        (#"{ "among": ["a", "c"] }"#, true), (#"{ "among": ["c", "a"] }"#, false),
        (#"{ "among": [] }"#, true),
        (#"{ "among": ["b"], "none": ["d*"] }"#, true), (#"{ "none": ["x", "c*"] }"#, false), ("{}", true),
    ])
    func `all actions are expected in order, some among others, or none of a type`(text: String, agrees: Bool)
        throws
    {
        #expect(try self.agrees(text, [emitted("a"), emitted("b"), emitted("c")]) == agrees)
    }

    @Test(arguments: [
        (
            #"{ "exactly": [], "none": [] }"#,
            #"1:53: /cases/0/expect/none: "exactly" and "none" are both given; keep one of them"#
        ),
        (
            #"[{ "type": "a", "payload": 1, "where": {} }]"#,
            #"1:66: /cases/0/expect/0/where: "payload" and "where" are both given; keep one of them"#
        ),
        (#"[{ "payload": 1 }]"#, #"1:37: /cases/0/expect/0: expected the key "type", found none; add it"#),
        (
            #"{ "among": "a" }"#,
            #"1:47: /cases/0/expect/among: expected an array of actions, found "a"; write ["…"] or [{ "type": "…" }]"#
        ),
    ])
    func `an expectation that contradicts itself is told`(text: String, problem: String) {
        #expect(problems(#"{"cases": [{"name": "a", "expect": \#(text)}]}"#) == ["a.test.json:" + problem])
    }
}
