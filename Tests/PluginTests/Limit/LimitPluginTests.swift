// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import SeededTesting
import Testing

@testable import LimitPlugin

@Suite(.timeLimit(.minutes(10))) struct LimitPluginTests {
    /// One rule about the type `a` with its key at `/k`.
    private func rule(_ measure: Members, keys: Int = 100, tell: Bool = false) -> Value {
        var rule: Members = ["when": "a", "by": "/k"]
        for (name, value) in measure { rule[name] = value }
        return ["rules": ["r": .object(rule)], "keys": .integer(Int64(keys)), "tell": .bool(tell)]
    }

    // MARK: - Rates

    @Test(arguments: [1 as UInt64, 2, 3, 4])
    func `a rate is that of a token bucket for each key`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        // Four a second and sixteenths of a second are exact in binary, so both must agree to the last action.
        let (interval, burst) = (0.25, Double(Int.random(in: 1...6, using: &random)))
        let scene = try LimitScene(
            rule(["rate": ["most": 4, "seconds": 1, "burst": .integer(Int64(burst))]]))
        var buckets: [String: (tokens: Double, at: Double)] = [:]
        var (now, stopped) = (0.0, 0)
        for step in 0..<4_000 {
            let sixteenths = Int.random(in: 0...4, using: &random) / 2
            scene.advance(by: .seconds(1) * sixteenths / 16)
            now += Double(sixteenths) / 16
            let key = ["x", "y", "z"].randomElement(using: &random) ?? "x"
            var bucket = buckets[key] ?? (burst, now)
            bucket = (min(burst, bucket.tokens + (now - bucket.at) / interval), now)
            let passes = bucket.tokens >= 1
            if passes { bucket.tokens -= 1 } else { stopped += 1 }
            buckets[key] = bucket
            #expect(scene.send("a", ["k": .string(key)]) == passes, "seed \(seed), step \(step)")
        }
        #expect(stopped > 500)
        #expect(scene.state.rules["r"]?.stopped.total == stopped)
        #expect(scene.state.rules["r"]?.stopped.byKey.values.reduce(0, +) == stopped)
    }

    @Test func `without a burst as many pass at once as in the time`() throws {
        let scene = try LimitScene(rule(["rate": ["most": 3, "seconds": 60]]))
        #expect((0..<5).map { _ in scene.send("a", ["k": 1]) } == [true, true, true, false, false])
        scene.advance(by: .seconds(20))
        #expect((0..<2).map { _ in scene.send("a", ["k": 1]) } == [true, false])
    }

    @Test func `a clock that was set back makes nobody wait longer than after a full use`() {
        let rate = Measure.rate(interval: 10, burst: 2)
        #expect(rate.answer(at: 100, known: 9_000) == .stop(nil, wait: 10))
        #expect(rate.answer(at: 110, known: 120) == .pass(130))
        #expect(Measure.unique(seconds: 5).answer(at: 100, known: 9_000) == .stop(nil, wait: 5))
    }

    // MARK: - The other measures

    @Test func `of a sample the first of each so many passes`() throws {
        let scene = try LimitScene(rule(["sample": ["oneOf": 3]]))
        #expect(
            (0..<7).map { _ in scene.send("a", ["k": "x"]) }
                == [true, false, false, true, false, false, true])
        #expect(scene.send("a", ["k": "y"]))
        let all = try LimitScene(rule(["sample": ["oneOf": 1]]))
        #expect((0..<3).map { _ in all.send("a", ["k": "x"]) } == [true, true, true])
    }

    @Test(arguments: [1 as UInt64, 2, 3])
    func `a key passes once in its window, counted from what passed`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let scene = try LimitScene(rule(["unique": 10]))
        var passed: [Int: Int] = [:]
        var now = 0
        for step in 0..<3_000 {
            let seconds = Int.random(in: 0...2, using: &random)
            scene.advance(by: .seconds(seconds))
            now += seconds
            let key = Int.random(in: 0..<20, using: &random)
            let passes = passed[key].map { now - $0 >= 10 } ?? true
            if passes { passed[key] = now }
            #expect(
                scene.send("a", ["k": .integer(Int64(key))]) == passes, "seed \(seed), step \(step)")
        }
    }

    @Test func `what has no key passes a rule of uniqueness, and shares one key in others`() throws {
        let unique = try LimitScene(rule(["unique": 10]))
        #expect((0..<3).map { _ in unique.send("a", ["other": 1]) } == [true, true, true])
        let rate = try LimitScene(rule(["rate": ["most": 1, "seconds": 10]]))
        #expect((0..<2).map { _ in rate.send("a", ["other": 1]) } == [true, false])
        #expect(!rate.send("a"))
    }

    @Test func `a key that is null is no key, and the text null is one`() throws {
        let unique = try LimitScene(rule(["unique": 10]))
        #expect((0..<3).map { _ in unique.send("a", ["k": nil]) } == [true, true, true])
        #expect((0..<2).map { _ in unique.send("a", ["k": "null"]) } == [true, false])
        let rate = try LimitScene(rule(["rate": ["most": 1, "seconds": 60]]))
        #expect(rate.send("a", ["k": nil]))
        #expect(!rate.send("a", [:]))
        #expect(rate.send("a", ["k": "null"]))
    }

    @Test func `of those that come in a row the last passes when it is quiet`() throws {
        let scene = try LimitScene(rule(["debounce": 0.5], tell: true))
        #expect(!scene.send("a", ["k": 1, "n": 1]))
        scene.advance(by: .milliseconds(400))
        #expect(!scene.send("a", ["k": 1, "n": 2]))
        #expect(!scene.send("a", ["k": 2, "n": 3]))
        scene.advance(by: .milliseconds(499))
        #expect(scene.passed == [])
        scene.advance(by: .milliseconds(1))
        #expect(scene.passed == [["k": 1, "n": 2], ["k": 2, "n": 3]])
        #expect(scene.told == [["type": "a", "rule": "r", "key": "1", "source": "input:7"]])
        #expect(scene.state.rules["r"]?.stopped.byKey == ["1": 1])
        scene.advance(by: .seconds(60))
        #expect(scene.passed.count == 2)
    }

    @Test func `what waits when the run ends passes, and then nothing waits any more`() throws {
        let scene = try LimitScene(rule(["debounce": 60]))
        for number in 0..<10 { scene.send("a", ["k": .integer(Int64(number))]) }
        #expect(scene.passed == [])
        scene.stop()
        #expect(scene.passed == (0..<10).map { ["k": .integer($0)] })
        #expect(scene.send("a", ["k": 1]))
    }

    @Test func `the end of a run is an action only where actions may wait`() throws {
        let cases: [(measure: Members, own: [ActionType])] = [
            (["debounce": 60], [OwnAction.released]), (["unique": 60], []),
        ]
        for (measure, own) in cases {
            let scene = try LimitScene(rule(measure))
            scene.stop()
            #expect(scene.own == own)
        }
    }

    @Test func `what waits when the gate closes passes`() throws {
        let executor = TestExecutor()
        let settings = try rule(["debounce": 60]).decode(Limit.Settings.self)
        let clock = ManualClock()
        let context = Limit.Context(
            settings: settings,
            services: HostServices(
                instance: "test", log: PluginLog { _, _ in },
                clock: HostClock(clock: clock) { 0 }, dataDirectory: nil))
        let interceptor = LimitInterceptor(context)
        let passed = Passed()
        let state = OwnState<AnyAction, Limit.State>(GetState { Limit.State() })
        interceptor.intercept(
            action: AnyAction("a", payload: ["k": 1]), from: .input(), state: state,
            output: AnyActionHandler { _ in }, next: Next { _ in passed.count += 1 })
        #expect(passed.count == 0)
        interceptor.gateChanged(to: .active)
        #expect(passed.count == 0)
        interceptor.gateChanged(to: .bypass)
        #expect(passed.count == 1)
        executor.runAll()
    }

    // MARK: - Rules together

    @Test func `an action passes when all rules let it, and what one stops costs no other a token`() throws {
        let scene = try LimitScene([
            "rules": [
                "all": ["when": "*", "rate": ["most": 3, "seconds": 60]],
                "each": ["when": ["a", "b/*"], "by": "/k", "rate": ["most": 1, "seconds": 60]],
            ]
        ])
        #expect(scene.send("a", ["k": 1]))
        #expect((0..<20).map { _ in scene.send("b/c", ["k": 1]) } == Array(repeating: false, count: 20))
        #expect(scene.send("a", ["k": 2]))
        #expect(scene.send("other"))
        #expect(!scene.send("other"))
        #expect(scene.state.rules["all"]?.stopped.total == 1)
        #expect(scene.state.rules["each"]?.stopped.byKey == ["1": 20])
    }

    @Test
    func
        `what is stopped is told with its rule, key, id and source and how long to wait, and no rule is about that`()
        throws
    {
        let scene = try LimitScene([
            "rules": ["all": ["when": "*", "rate": ["most": 1, "seconds": 60]]], "tell": true,
        ])
        #expect(scene.send("a"))
        scene.advance(by: .seconds(15))
        #expect(!scene.send("b"))
        #expect(!scene.send("c", meta: ["id": "o-17"]))
        #expect(
            scene.told == [
                ["type": "b", "rule": "all", "key": "", "source": "input:7", "wait": 45.0],
                ["type": "c", "rule": "all", "key": "", "id": "o-17", "source": "input:7", "wait": 45.0],
            ])
    }

    @Test func `types that no rule is about pass`() throws {
        let scene = try LimitScene(rule(["rate": ["most": 1, "seconds": 60]]))
        #expect((0..<3).map { _ in scene.send("b", ["k": 1]) } == [true, true, true])
        #expect(scene.state.rules.isEmpty)
    }

    @Test func `without a clock everything passes, and the instance says so`() throws {
        let scene = try LimitScene(rule(["rate": ["most": 1, "seconds": 60]]), hasClock: false)
        #expect((0..<3).map { _ in scene.send("a", ["k": 1]) } == [true, true, true])
        #expect(
            scene.status.health
                == .failing(
                    "it has no clock, so every action passes; grant it \"clock\" in \"lift\"/\"dependencies\""
                ))
    }

    // MARK: - Bounds

    @Test func `keys whose time is past make room`() throws {
        let scene = try LimitScene(rule(["rate": ["most": 1, "seconds": 10]], keys: 2))
        #expect(scene.send("a", ["k": 1]) && scene.send("a", ["k": 2]))
        scene.advance(by: .seconds(10))
        #expect(scene.send("a", ["k": 3]) && scene.send("a", ["k": 4]))
        #expect(scene.state.rules["r"]?.keys.keys.sorted() == ["3", "4"])
        #expect(scene.state.rules["r"]?.forgotten == 0)
    }

    @Test func `keys for which there is no room share one bucket, which is told once`() throws {
        let scene = try LimitScene(rule(["rate": ["most": 2, "seconds": 60]], keys: 2))
        #expect(
            (1...6).map { scene.send("a", ["k": .integer($0)]) } == [true, true, true, true, false, false])
        #expect(scene.send("a", ["k": 1]))
        #expect(scene.state.rules["r"]?.forgotten == 2)
        #expect(
            scene.lines == [
                #"the rule "r" knows 2 keys, so all others share one place; raise "keys""#
            ])
    }

    @Test func `a rule of uniqueness forgets its oldest keys`() throws {
        let scene = try LimitScene(rule(["unique": 1_000], keys: 16))
        for number in 0..<16 {
            #expect(scene.send("a", ["k": .integer(Int64(number))]))
            scene.advance(by: .seconds(1))
        }
        #expect(scene.send("a", ["k": 16]))
        #expect(scene.state.rules["r"]?.forgotten == 3)
        #expect(!scene.send("a", ["k": 3]))
        #expect(scene.send("a", ["k": 2]))
        #expect(
            scene.lines == [
                #"the rule "r" knows 16 keys, so the oldest are forgotten before their time; raise "keys""#
            ])
    }

    @Test func `what has no room to wait passes at once`() throws {
        let scene = try LimitScene(rule(["debounce": 1], keys: 1))
        #expect(!scene.send("a", ["k": 1]))
        #expect(scene.send("a", ["k": 2]))
        #expect(!scene.send("a", ["k": 1]))
    }

    @Test func `of stopped actions the keys that are stopped most are counted apart`() {
        var counts = StoppedCounts()
        for _ in 0..<5 { counts.count("often") }
        for number in 0..<150 { counts.count("\(number)") }
        #expect(counts.total == 155)
        #expect(counts.byKey.count == 100)
        #expect(counts.byKey["often"] == 5)
        #expect(counts.byKey.values.reduce(0, +) + counts.other == 155)
    }

    // MARK: - State and settings

    @Test func `what is known goes on after a restart`() throws {
        let settings = rule(["rate": ["most": 1, "seconds": 60]])
        let first = try LimitScene(settings)
        #expect(first.send("a", ["k": "ann"]))
        #expect(!first.send("a", ["k": "ann"]))
        let kept = try Value(encoding: first.state)
        #expect(
            kept == [
                "rules": [
                    "r": [
                        "keys": ["ann": 1_000_000_060.0], "forgotten": 0,
                        "stopped": ["total": 1, "byKey": ["ann": 1], "other": 0],
                    ]
                ]
            ])
        let second = try LimitScene(settings, state: kept.decode(Limit.State.self))
        #expect(!second.send("a", ["k": "ann"]))
        second.advance(by: .seconds(60))
        #expect(second.send("a", ["k": "ann"]))
    }

    @Test func `actions of others with the plugin's names change nothing unless they say what it says`()
        throws
    {
        let scene = try LimitScene(rule(["rate": ["most": 1, "seconds": 60]]))
        for type in OwnAction.all { scene.send(type, ["odd": true]) }
        scene.send(OwnAction.due, ["rule": "r", "key": "1", "quiet": 1e300])
        scene.send(OwnAction.held, ["rule": "r", "key": "1", "quiet": 1e300])
        #expect(scene.state.rules.isEmpty)
    }

    @Test(
        arguments: [
            (
                ["r": ["when": "a"]],
                #"/rules/r: expected one of "rate", "sample", "unique" and "debounce", found none of them, or several"#
            ),
            (
                ["r": ["when": "a", "debounce": 1, "sample": ["oneOf": 2]]],
                #"/rules/r: expected one of "rate", "sample", "unique" and "debounce", found none of them, or several"#
            ),
            (
                ["r": ["when": "a", "unique": 1]],
                #"/rules/r: expected a member "by" beside "unique", found none"#
            ),
            (["r": ["debounce": 1]], #"/rules/r: expected a member "when", found none"#),
            (
                ["r": ["when": "a", "debounce": 0]],
                "/rules/r/debounce: expected 0.001 to 31622400 seconds, found 0.0"
            ),
            (
                ["r": ["when": "a", "rate": ["most": 0, "seconds": 1]]],
                "/rules/r/rate/most: expected 1 to 100000, found 0"
            ),
            (
                ["r": ["when": "a", "rate": ["most": 1, "seconds": 0.5]]],
                "/rules/r/rate/seconds: expected 1 to 31622400 seconds, found 0.5"
            ),
            (
                ["r": ["when": "a", "rate": ["most": 1, "seconds": 1, "burst": 100_001]]],
                "/rules/r/rate/burst: expected 1 to 100000, found 100001"
            ),
            (
                ["r": ["when": "a", "sample": ["oneOf": 0]]],
                "/rules/r/sample/oneOf: expected 1 to 1000000, found 0"
            ),
            (
                ["r": ["when": "a", "by": "k", "unique": 1]],
                #"/rules/r/by: expected a JSON Pointer such as "/orders/0", found "k""#
            ),
            (
                ["": ["when": "a", "debounce": 1]],
                #"/rules: expected names of 1 to 64 lower-case letters, digits and -, found """#
            ),
        ] as [(Value, String)])
    func `settings that do not fit are refused with place and remedy`(rules: Value, message: String) {
        let failure = #expect(throws: CodingFailure.self) {
            try TestStore(Limit.self, settings: ["rules": rules])
        }
        #expect(failure?.description == message)
    }

    @Test func `settings that were encoded decode to the same`() throws {
        let settings: Value = [
            "rules": [
                "z": ["when": ["a", "b/*"], "by": "/k", "rate": ["most": 1, "seconds": 2, "burst": 3]],
                "a": ["when": "a", "debounce": 0.5],
            ], "keys": 5, "tell": true,
        ]
        let decoded = try settings.decode(Limit.Settings.self)
        #expect(try Value(encoding: decoded) == settings)
        #expect(decoded.rules.all.map(\.name) == ["z", "a"])
    }

    @Test func `the manifest says what the plugin does`() throws {
        try Limit.checkManifest(at: "Plugins/Limit/plugin.json")
    }

    /// Counts what passes.
    private final class Passed: @unchecked Sendable {
        // Called by the test on its own thread alone: there is no store.
        var count = 0
    }
}
