// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

/// Whole runs with the plugin `limit`.
@Suite(.timeLimit(.minutes(10))) struct LimitRunTests {
    /// Rules as they stand in a configuration.
    private func scene(_ rules: String) throws -> Scene {
        try Scene(
            #"{ "plugins": [{ "id": "limit", "settings": { "rules": { \#(rules) }, "tell": true } }] }"#,
            libraries: ["LimitPlugin"])
    }

    @Test func `the configuration of its README does what it says there`() throws {
        let example = try #require(
            try GuidePage("Plugins/Limit/README.md").sessions.first { $0.heading == "Example" })
        let scene = try Scene(
            "{ \"plugins\": [\(example.blocks[0].lines.joined(separator: "\n"))] }",
            libraries: ["LimitPlugin"])
        let lines = example.blocks[1].lines
        let outcome = try scene.run(["--print", "actions"], input: lines.joined(separator: "\n"))
        let passed = outcome.output.split(separator: "\n").map(String.init).filter(lines.contains)
        #expect(passed == [lines[0], lines[1], lines[3]])
        #expect(
            outcome.output.contains(
                #"{"type":"limit/stopped","payload":{"type":"shop/order","rule":"per-client","key":"ann","source":"standard input:3","wait":"#
            ))
        #expect(outcome.exitCode == 0)
        let state = try JSONText.parse(scene.run(input: lines.joined(separator: "\n")).output)
        #expect(state["limit"]?["rules"]?["per-client"]?["stopped"]?["byKey"] == ["ann": 1])
        #expect(state["limit"]?["rules"]?["deliveries"]?["stopped"]?["total"] == 1)
    }

    @Test func `what was stopped is told with its id and source, and the past shows it below what led to it`()
        throws
    {
        let scene = try Scene(
            #"""
            { "journal": {}, "plugins": [
                { "id": "limit", "settings": { "tell": true, "rules": { "r": { "when": "a", "rate": { "most": 1, "seconds": 60 } } } } },
                { "id": "rules", "settings": { "rules": [{ "when": "b", "emit": "a" }] } } ] }
            """#, libraries: ["LimitPlugin", "RulesPlugin"])
        let outcome = try scene.run(
            ["--print", "actions"],
            input: #"{"type":"a"}"# + "\n" + #"{"type":"a","meta":{"id":"o-17"}}"# + "\n" + #"{"type":"b"}"#)
        #expect(
            outcome.output.contains(
                #"{"type":"limit/stopped","payload":{"type":"a","rule":"r","key":"","id":"o-17","source":"standard input:2","wait":"#
            ), "\(outcome.output)")
        #expect(
            outcome.output.contains(
                #"{"type":"limit/stopped","payload":{"type":"a","rule":"r","key":"","source":"rules","wait":"#
            ))
        // 1 and 2 are the first a, 3 and 4 the second one, which is stopped, and 5 is b.
        let causes = try scene.call("history", "--causes", "5")
        #expect(
            causes.output == """
                5  b  standard input:3  ←
                └─ 7  limit/stopped  output of 5 by limit

                """, "\(causes.output)\(causes.errors)")
    }

    @Test func `what waits for quiet at the end of the input passes, and the run ends at once`() throws {
        let scene = try scene(#""typing": { "when": "typed", "by": "/user", "debounce": 86400 }"#)
        let lines = (1...3).map { #"{"type":"typed","payload":{"user":"ann","text":"\#($0)"}}"# }
        let outcome = try scene.run(["--print", "actions"], input: lines.joined(separator: "\n"))
        let passed = outcome.output.split(separator: "\n").map(String.init).filter(lines.contains)
        #expect(passed == [lines[2]])
        #expect(
            outcome.errors
                == "gatehouse: 3 lines, 10 actions, 0 rejected, 2 actions stopped by interceptors\n"
        )
        #expect(outcome.exitCode == 0)
    }

    @Test func `a case moves the clock to the end of a debounce`() throws {
        let scene = try Scene(
            #"{ "plugins": [{ "id": "limit", "settings": { "rules": { "last": { "when": "counter/increment", "debounce": 5 } } } }, { "id": "counter" }] }"#,
            libraries: ["LimitPlugin", "CounterPlugin"])
        _ = try scene.folder.write(
            #"""
            { "cases": [{ "name": "only the last passes, when it was quiet", "steps": [
                { "send": { "type": "counter/increment" }, "advance": 4, "state": { "/counter/count": 0 } },
                { "send": { "type": "counter/increment", "payload": { "by": 7 } }, "advance": 4, "state": { "/counter/count": 0 } },
                { "advance": 1, "state": { "/counter/count": 7 } } ] }] }
            """#, to: "plugins.test.json")
        let outcome = try scene.call("test", "--limit", "5")
        #expect(outcome.exitCode == 0, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output == "pass  only the last passes, when it was quiet\n")
    }

    @Test func `a signal does not wait for the time of quiet`() throws {
        let scene = try scene(#""typing": { "when": "typed", "debounce": 86400 }"#)
        let child = try scene.start(["--print", "actions"])
        child.write(#"{"type":"typed","payload":"last"}"# + "\n")
        try child.waitForOutput(#"{"type":"limit/held""#)
        child.signal(15)
        let outcome = try child.finish()
        #expect(outcome.output.contains(#"{"type":"typed","payload":"last"}"#))
        #expect(outcome.exitCode == 0)
    }

    @Test(.enabled(if: RedisServer.isInstalled, "redis-server is not installed"))
    func `what was seen before a resize is a duplicate after it, and all that was stopped is counted`() throws
    {
        let redis = try RedisServer()
        let blocks = try GuidePage("Plugins/Limit/README.md").sessions.flatMap(\.blocks)
        let split = try #require(blocks.first { $0.lines.contains { $0.contains("\"sums\"") } })
        let places = try JSONText.parse(split.lines.joined(separator: "\n"))
        let configuration = { (partitions: Int) in
            """
            { "name": "a", "cluster": { "engine": "\(redis.url)", "name": "shop", "partitions": \(partitions),
                "lease": 1, "key": { "*": "/delivery" },
                "split": { "limit": \(places["limit"]?.json() ?? ""), "seen": { "sums": "/count" } } },
              "plugins": [
                { "id": "limit", "settings": { "rules": {
                    "deliveries": { "when": "github/*", "by": "/delivery", "unique": 86400 } } } },
                { "id": "seen", "library": "libCounterPlugin.so",
                  "lift": { "input": { "github/push": "increment" } } } ] }
            """
        }
        let scene = try Scene(configuration(2), libraries: ["LimitPlugin", "CounterPlugin"])
        let lines = (0..<40).map { #"{"type":"github/push","payload":{"delivery":"d-\#($0)"}}"# }
        let run = {
            try scene.run(["--input", "-", "--print", "none"], input: lines.joined(separator: "\n"))
        }
        for _ in 0..<2 {
            let outcome = try run()
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
        }
        let resize = try scene.call("cluster", "resize", "5")
        #expect(
            resize.output == """
                cluster shop: went from 2 to 5 partitions
                  limit  80 keys divided
                  seen   0 keys divided
                  0 actions waiting

                """, "\(resize.errors)")
        try scene.folder.write(configuration(5), to: "plugins.json")
        let outcome = try run()
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        let states = try (0..<5).map { partition in
            try ["limit", "seen"].map { instance in
                let text = try redis.call(
                    "HGET", "{gatehouse:shop}:state:\(partition)", "s:instance:\(instance)")
                return try JSONText.parse(text)["state"] ?? .null
            }
        }
        #expect(states.reduce(0) { $0 + ($1[1]["count"]?.intValue ?? 0) } == 40)
        let rules = states.compactMap { $0[0]["rules"]?["deliveries"] }
        #expect(rules.reduce(0) { $0 + ($1["stopped"]?["total"]?.intValue ?? 0) } == 80)
        #expect(rules.reduce(0) { $0 + ($1["keys"]?.objectValue?.count ?? 0) } == 40)
    }

    @Test func `what was seen before a crash is a duplicate after it`() throws {
        let scene = try Scene(
            """
            { "journal": { "directory": "journal", "mode": "strict" },
              "plugins": [{ "id": "limit",
                "settings": { "rules": { "once": { "when": "*", "by": "/id", "unique": 86400 } } } }] }
            """, libraries: ["LimitPlugin"])
        let line = #"{"type":"paid","payload":{"id":7}}"#
        let child = try scene.start(["--print", "actions"])
        child.write(line + "\n")
        try child.waitForOutput(line)
        child.write(#"{"type":"paid","payload":{"id":8}}"# + "\n")
        try child.waitForOutput(#""id":8"#)
        child.signal(9)
        _ = try child.finish()
        // Whether the host had written down what became of the lines or dispatches them again, both have come.
        let state = try JSONText.parse(scene.run(input: line).output)["limit"]?["rules"]?["once"]
        #expect(state?["keys"]?.objectValue?.keys.sorted() == ["7", "8"])
        #expect(state?["stopped"]?["byKey"] == ["7": 1])
    }

    @Test(arguments: [
        (
            #""r": { "when": "a" }"#,
            "/plugins/0/settings/rules/r: expected one of rate, sample, unique and debounce, found an object; correct it"
        ),
        (
            #""r": { "when": "a", "unique": 5 }"#,
            #"/plugins/0/settings/rules/r/unique: "unique" says nothing without "by"; add it"#
        ),
        (
            #""r": { "when": "a", "by": "id", "debounce": 5 }"#,
            #"/plugins/0/settings/rules/r/by: expected a JSON Pointer such as "/id", found "id"; correct it"#
        ),
        (
            #""r": { "when": "a", "rate": { "most": 5, "second": 5 } }"#,
            #"/plugins/0/settings/rules/r/rate/second: unknown key "second"; did you mean "seconds"?"#
        ),
    ])
    func `wrong settings are refused by check, with place and remedy`(rule: String, sentence: String) throws {
        let outcome = try scene(rule).call("check")
        #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
        #expect(outcome.exitCode == 78)
    }
}
