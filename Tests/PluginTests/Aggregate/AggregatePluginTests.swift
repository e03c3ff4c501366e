// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import GatehouseTesting
import Testing

@testable import AggregatePlugin

@Suite(.timeLimit(.minutes(10))) struct AggregatePluginTests {
    /// An instance with one summary called `s` of actions of the type `a`, from the moment 1,000,020, which a minute begins with.
    private func store(
        _ members: Members, restoring state: Value? = nil, from time: Double = 1_000_020
    ) throws -> TestStore<AnyAction, Aggregate.State> {
        var summary: Members = ["when": "a", "seconds": 60]
        for (name, value) in members { summary[name] = value }
        let store = try TestStore(
            Aggregate.self, settings: ["summaries": ["s": .object(summary)]], restoring: state,
            services: TestServices(unixTime: time)
        )
        store.isExhaustive = false
        return store
    }

    /// The summaries emitted since the last time.
    private func told(_ store: TestStore<AnyAction, Aggregate.State>) -> [Value] {
        store.takeEmitted().map(\.action).filter { $0.type == Aggregate.summary }.compactMap(\.payload)
    }

    @Test func `a summary is told when its window ends, and stays in the state`() throws {
        let store = try store(["by": "/k", "value": "/v"])
        try store.send(AnyAction("a", payload: ["k": "x", "v": 2]))
        try store.send(AnyAction("a", payload: ["k": "y", "v": 0.5]))
        try store.send(AnyAction("a", payload: ["k": "x", "v": "none"]))
        try store.send(AnyAction("b", payload: ["k": "x", "v": 7]))
        store.advance(by: .milliseconds(59_999))
        #expect(told(store) == [])
        store.advance(by: .milliseconds(1))
        let expected: Value = [
            "summary": "s", "from": 1_000_020.0, "to": 1_000_080.0,
            "total": ["count": 3, "values": 2, "sum": 2.5, "min": 0.5, "max": 2.0],
            "keys": [
                "x": ["count": 2, "values": 1, "sum": 2.0, "min": 2.0, "max": 2.0],
                "y": ["count": 1, "values": 1, "sum": 0.5, "min": 0.5, "max": 0.5],
            ],
            "other": ["count": 0, "values": 0, "sum": 0.0], "unread": 1,
        ]
        #expect(told(store) == [expected])
        #expect(store.state.last["s"] == expected)
        #expect(store.state.windows.isEmpty)
        // Nothing happens until something is counted again.
        store.advance(by: .seconds(600))
        #expect(told(store) == [])
        #expect(store.runningEffects == 0)
    }

    @Test func `a window that moves on is told at each step while it holds something`() throws {
        let store = try store(["steps": 3])
        try store.send(AnyAction("a"))
        store.advance(by: .seconds(25))
        try store.send(AnyAction("a"))
        store.advance(by: .seconds(100))
        #expect(
            told(store).map { [$0["from"], $0["to"], $0["total"]?["count"]] } == [
                [999_980.0, 1_000_040.0, 1], [1_000_000.0, 1_000_060.0, 2], [1_000_020.0, 1_000_080.0, 2],
                [1_000_040.0, 1_000_100.0, 1],
            ])
    }

    @Test func `percentiles and distinct counts are told where they are wanted`() throws {
        let store = try store(["value": "/v", "distinct": "/u", "percentiles": [50, 99.9]])
        for number in 1...100 {
            try store.send(
                AnyAction("a", payload: ["v": .integer(Int64(number)), "u": .integer(Int64(number % 10))]))
        }
        store.advance(by: .seconds(60))
        let total = try #require(told(store).first?["total"])
        #expect(total["distinct"] == 10)
        #expect(total["percentiles"]?.objectValue?.keys == ["50", "99.9"])
        let median = try #require(total["percentiles"]?["50"]?.doubleValue)
        #expect(abs(median - 50) <= 0.5)
    }

    @Test func `keys for which there is no room are told together as others`() throws {
        let store = try store(["by": "/k", "keys": 2])
        for key in ["x", "x", "x", "y", "z", "x", "y"] {
            try store.send(AnyAction("a", payload: ["k": .string(key)]))
        }
        store.advance(by: .seconds(60))
        let summary = try #require(told(store).first)
        #expect(summary["total"]?["count"] == 7)
        // `y` made room for `z` and came back in its place, so what is known of it begins there.
        #expect(
            summary["keys"] == ["x": ["count": 4], "y": ["count": 1, "error": 2]])
        #expect(summary["other"] == ["count": 2])
    }

    @Test func `what was counted goes on after a restart, and is told at once when its window is over`()
        throws
    {
        let first = try store(["value": "/v"])
        try first.send(AnyAction("a", payload: ["v": 1]))
        let kept = try Value(encoding: first.state)
        let soon = try store(["value": "/v"], restoring: kept, from: 1_000_050)
        try soon.send(AnyAction("a", payload: ["v": 2]))
        soon.advance(by: .seconds(30))
        #expect(told(soon).map { $0["total"]?["sum"] } == [3.0])
        let late = try store(["value": "/v"], restoring: kept, from: 1_000_900)
        late.advance(by: .zero)
        #expect(told(late).map { $0["total"]?["sum"] } == [1.0])
    }

    @Test func `what was counted is told when the run ends, as a part, and is not forgotten`() throws {
        let store = try store([:])
        try store.send(AnyAction("a"))
        store.stop()
        let summaries = told(store)
        #expect(summaries.map { $0["partial"] } == [true])
        #expect(summaries.map { $0["total"]?["count"] } == [1])
        #expect(store.state.windows["s"]?.isEmpty == false)
    }

    @Test func `a clock that was set back by more than a window begins anew, and one by less goes on`() throws
    {
        let state = try Value(
            encoding: {
                let store = try store([:])
                try store.send(AnyAction("a"))
                return store.state
            }())
        let much = try store([:], restoring: state, from: 900_000)
        try much.send(AnyAction("a"))
        much.advance(by: .seconds(60))
        #expect(told(much).map { $0["total"]?["count"] } == [1, 1])
        let little = try store([:], restoring: state, from: 1_000_000)
        try little.send(AnyAction("a"))
        little.advance(by: .seconds(80))
        #expect(told(little).map { $0["total"]?["count"] } == [2])
    }

    @Test func `sums keep what single additions would lose`() throws {
        let store = try store(["value": "/v"])
        for number in [1e16, 1, 1, -1e16] { try store.send(AnyAction("a", payload: ["v": .double(number)])) }
        for _ in 0..<10 { try store.send(AnyAction("a", payload: ["v": 0.1])) }
        store.advance(by: .seconds(60))
        #expect(told(store).first?["total"]?["sum"] == 3.0)
    }

    @Test func `numbers that sums cannot hold are counted as unread`() throws {
        let store = try store(["value": "/v"])
        for number: Value in [.double(1e300), .bigNumber("1e400"), true, nil, 4] {
            try store.send(AnyAction("a", payload: ["v": number]))
        }
        store.advance(by: .seconds(60))
        let summary = try #require(told(store).first)
        #expect(summary["unread"] == 4)
        #expect(summary["total"] == ["count": 5, "values": 1, "sum": 4.0, "min": 4.0, "max": 4.0])
    }

    @Test func `its own actions are in no summary`() throws {
        let store = try store(["when": "*"])
        try store.send(AnyAction("a"))
        store.advance(by: .seconds(60))
        #expect(told(store).map { $0["total"]?["count"] } == [1])
        store.advance(by: .seconds(600))
        #expect(told(store) == [])
    }

    @Test func `without a clock nothing is counted, and the instance says so`() async throws {
        let status = PluginStatus()
        let store = try TestStore(
            Aggregate.self, settings: ["summaries": ["s": ["when": "a", "seconds": 1]]], clock: nil,
            services: TestServices(status: status))
        try store.send(AnyAction("a"))
        #expect(
            status.health
                == .failing(
                    "it has no clock, so nothing is counted; grant it \"clock\" in \"lift\"/\"dependencies\"")
        )
        try await store.finish()
    }

    @Test(
        arguments: [
            (["s": ["seconds": 1]], #"/summaries/s: expected a member "when", found none"#),
            (["s": ["when": "a"]], #"/summaries/s: expected a member "seconds", found none"#),
            (["s": ["when": "a", "seconds": 0]], "/summaries/s/seconds: expected 1 to 604800, found 0"),
            (
                ["s": ["when": "a", "seconds": 1, "steps": 21]],
                "/summaries/s/steps: expected 1 to 20, found 21"
            ),
            (
                ["s": ["when": "a", "seconds": 1, "keys": 501]],
                "/summaries/s/keys: expected 1 to 500, found 501"
            ),
            (
                ["s": ["when": "a", "seconds": 1, "percentiles": [50]]],
                #"/summaries/s: expected a member "value" beside "percentiles", found none"#
            ),
            (
                ["s": ["when": "a", "seconds": 1, "value": "/v", "percentiles": [101]]],
                "/summaries/s/percentiles/0: expected a number from 0 to 100, found 101"
            ),
            (
                ["S": ["when": "a", "seconds": 1]],
                #"/summaries: expected names of 1 to 64 lower-case letters, digits and -, found "S""#
            ),
        ] as [(Value, String)])
    func `settings that do not fit are refused with place and remedy`(summaries: Value, message: String) {
        let failure = #expect(throws: CodingFailure.self) {
            try TestStore(Aggregate.self, settings: ["summaries": summaries])
        }
        #expect(failure?.description == message)
    }

    @Test func `the manifest says what the plugin does`() throws {
        try Aggregate.checkManifest(at: "Plugins/Aggregate/plugin.json")
    }
}
