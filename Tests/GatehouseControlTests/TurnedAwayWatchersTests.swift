// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehouseSDK
import Testing

@testable import GatehouseControl
@testable import GatehouseRuntime

/// Who hears of what came to nothing, and what.
@Suite(.timeLimit(.minutes(10))) struct TurnedAwayWatchersTests {
    private let input = ActionSource(file: "in", function: "", line: 7, info: nil)

    /// A watcher with these types and instances.
    private func watcher(
        _ types: [String]? = nil, _ instances: [String]? = nil, hears: Bool = true
    ) throws -> WatchSubscription {
        WatchSubscription(
            WatchFilter(
                types: try types.map { try $0.map { try #require(TypePattern($0)) } }, instances: instances,
                hearsTurnedAway: hears)
        ) {}
    }

    /// What a watcher has heard, as texts.
    private func heard(_ watcher: WatchSubscription) -> [String] {
        String(decoding: watcher.take().lines, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `an action that was stopped is told with all that is known of it`() throws {
        let watchers = TurnedAwayWatchers(.host)
        let watcher = try watcher()
        #expect(!watchers.areAny)
        watchers.add(watcher)
        #expect(watchers.areAny)
        watchers.tell(
            TurnedAwayAction(
                stopped: AnyAction("a", payload: 1), from: input, by: "limit", because: "too many"))
        #expect(
            heard(watcher) == [
                #"{"jsonrpc":"2.0","method":"watch","params":{"turnedAway":{"kind":"stopped","type":"a","action":{"type":"a","payload":1},"source":{"input":"in","line":7},"instance":"limit","reason":"too many"}}}"#
            ])
        watchers.remove(watcher)
        #expect(!watchers.areAny)
    }

    @Test func `what an instance emitted is told with the instance, and of a partition with its number`()
        throws
    {
        let watchers = TurnedAwayWatchers(.partition(3))
        let watcher = try watcher()
        watchers.add(watcher)
        watchers.tell(
            try #require(TurnedAwayAction(.refusedOutput(instance: "i", type: "a", reason: "it may not"))))
        #expect(
            heard(watcher) == [
                #"{"jsonrpc":"2.0","method":"watch","params":{"turnedAway":{"kind":"refused-output","type":"a","source":{"instance":"i"},"instance":"i","reason":"it may not"},"partition":3}}"#
            ])
    }

    @Test(arguments: [(20, nil), (21, 1), (30, 10)] as [(Int, Int?)])
    func `of many closed gates twenty are named, and how many more there are`(count: Int, more: Int?) throws {
        let watchers = TurnedAwayWatchers(.host)
        let watcher = try watcher()
        watchers.add(watcher)
        watchers.tell(
            TurnedAwayAction(gated: AnyAction("a"), from: input, at: (1...count).map { "i\($0)" }))
        let line = try #require(heard(watcher).first)
        let told = try JSONText.parse(line)["params"]?["turnedAway"]
        #expect(told?["instances"] == .array((1...20).map { .string("i\($0)") }))
        #expect(told?["more"] == more.map { Value($0) })
        #expect(told?["instance"] == nil)
    }

    @Test func `each watcher hears what its filter admits`() throws {
        let watchers = TurnedAwayWatchers(.host)
        let all = try watcher(), types = try watcher(["a"]), others = try watcher(["b"])
        let stopper = try watcher(nil, ["limit"]), gated = try watcher(nil, ["j"])
        let deaf = try watcher(hears: false)
        for watcher in [all, types, others, stopper, gated, deaf] { watchers.add(watcher) }
        watchers.tell(
            TurnedAwayAction(stopped: AnyAction("a"), from: input, by: "limit", because: "no"))
        watchers.tell(TurnedAwayAction(gated: AnyAction("a"), from: input, at: ["i", "j"]))
        watchers.tell(
            try #require(
                TurnedAwayAction(.rejectedLine(input: "in", line: 1, column: 1, reason: "no action"))))
        #expect(heard(all).count == 3)
        #expect(heard(types).count == 2)
        #expect(heard(others) == [])
        #expect(heard(stopper).count == 1)
        #expect(heard(gated).count == 1)
        #expect(heard(deaf) == [])
    }
}
