// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

@testable import GatehouseCluster

/// `gatehouse cluster state --at` and `gatehouse cluster replay`: the past of a partition, which its engine keeps.
@Suite(
    .enabled(if: ClusterCase.canRun, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct PartitionPastTests {
    /// Where partitions are kept.
    enum Engine: CaseIterable {
        case file, redis
    }

    /// A cluster whose member has taken twelve sales, and is gone.
    private final class Past {
        let scene: Scene
        /// The server; nil for a file.
        let redis: RedisServer?

        /// - Parameters:
        ///   - history: for how many seconds the past is kept.
        ///   - lines: what the member has taken besides.
        init(_ engine: Engine, partitions: Int = 1, history: Int = 3_600, lines: [String] = []) throws {
            redis = engine == .redis ? try RedisServer() : nil
            scene = try Scene(
                """
                { "name": "a", "cluster": { "engine": "\(redis?.url ?? "local:p.db")", "name": "shop",
                    "partitions": \(partitions), "history": \(history),
                    "key": { "planted/sold": "/customer", "planted/thanked": "" } },
                  "plugins": [{ "id": "planted" }] }
                """, libraries: ["PlantedPlugin"])
            try sell(1...12, lines)
        }

        /// Lets the member take sales by their numbers, and more lines, and end.
        func sell(_ numbers: ClosedRange<Int>, _ lines: [String] = []) throws {
            let sales = numbers.map { number in
                #"{"type":"planted/sold","payload":{"amount":\#(number * 7),"customer":"c\#(number % 5)"}}"#
            }
            let run = try scene.run(
                ["--input", "-", "--print", "none"],
                input: (sales + lines).joined(separator: "\n") + "\n")
            #expect(run.exitCode == 0, "\(run.errors)")
        }

        /// Keeps the last checkpoint of the partition in the file as the earliest one, as if the history had begun there.
        func beginHistory() throws -> ClusterOffset {
            let store = try LocalStore(path: scene.folder("p.db"), patience: .seconds(5))
            return try store.writing { () throws(ClusterFailure) in
                let offset = try store.first("SELECT high, low, place FROM partitions WHERE number = 0") {
                    $0.offset(0)
                }
                guard let offset else { throw .refused("no partition") }
                _ = try store.keep(offset, of: 0, for: 1)
                return offset
            }
        }

        /// The answer to a request for programs.
        func answer(_ request: String...) throws -> Value {
            let outcome = try ChildProcess.run(
                arguments: ["cluster"] + request + ["--json"], in: scene.folder.path,
                environment: scene.environment)
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
            return try JSONText.parse(outcome.output)
        }

        /// The offsets of the actions of a partition, and the actions.
        func history(of partition: Int) throws -> [(offset: String, action: Value)] {
            try answer("history", "\(partition)")["actions"]?.arrayValue?.map {
                ($0["offset"]?.stringValue ?? "", $0["action"] ?? .null)
            } ?? []
        }

        /// Writes a library with a regression into the scene's folder.
        func candidate(_ regression: String) throws -> String {
            let path = scene.folder("libCandidate.so")
            try FileSystem.write(try PlantedScene.library(with: regression), to: path)
            return path
        }
    }

    /// The total after some actions, as the plugin reckons it.
    private func total(_ actions: some Sequence<Value>) -> Int {
        actions.reduce(0) { total, action in
            guard action["type"] == "planted/sold", let amount = action["payload"]?["amount"]?.intValue
            else { return total }
            return total + amount + (amount * 19 + 50) / 100
        }
    }

    @Test(arguments: Engine.allCases)
    func `the state after each action of the history is rebuilt, and the last one is the one that is kept`(
        engine: Engine
    ) throws {
        let past = try Past(engine)
        let history = try past.history(of: 0)
        #expect(history.count == 12)
        for count in [1, 2, 7, 12] {
            let outcome = try past.scene.call(
                "cluster", "state", "0", "/planted/total", "--at", history[count - 1].offset)
            #expect(outcome.output == "\(total(history.prefix(count).map(\.action)))\n", "\(outcome.errors)")
            let from = outcome.errors
            #expect(
                from.hasPrefix("gatehouse: rebuilt from the checkpoint at ")
                    != (from == "gatehouse: as the checkpoint at \(history[count - 1].offset) has it\n"),
                "\(from)")
        }
        let last = try past.answer("state", "0", "--at", history[11].offset)
        #expect(last["state"] == (try past.answer("state", "0"))["state"])
        #expect(last["offset"]?.stringValue == history[11].offset && last["partition"] == 0)
        #expect(last["effects"] == 0)
    }

    @Test func `an earlier checkpoint is as good a beginning as the first action`() throws {
        let past = try Past(.file)
        let base = try past.beginHistory()
        try past.sell(13...20)
        let history = try past.history(of: 0)
        #expect(history.count >= 8)
        let newest = history.suffix(8)
        let old = total((1...12).map { ["type": "planted/sold", "payload": ["amount": Value($0 * 7)]] })
        for count in [1, 8] {
            let outcome = try past.scene.call(
                "cluster", "state", "0", "/planted/total", "--at", Array(newest)[count - 1].offset)
            #expect(outcome.output == "\(old + total(newest.prefix(count).map(\.action)))\n")
            let place =
                count == 8
                ? "as the checkpoint at \(Array(newest)[7].offset) has it"
                : "rebuilt from the checkpoint at \(base) and the 1 action after it, by the configuration and the libraries of now"
            #expect(outcome.errors == "gatehouse: \(place)\n")
        }
        let wrong = try past.scene.call(
            "cluster", "replay", "0", "--with", try past.candidate("wrong rounding"))
        #expect(wrong.exitCode == 65)
        #expect(
            wrong.errors.contains(
                "gatehouse: from the checkpoint at \(base) on; the 8 actions after it are numbered from 13\n"),
            "\(wrong.errors)")
        let early = try past.scene.call("cluster", "state", "0", "--at", "17-3")
        #expect(early.exitCode == 65)
        #expect(
            early.errors
                == "gatehouse: the engine keeps no checkpoint of partition 0 from before that; the earliest one that it keeps is that at \(base)\n"
        )
    }

    @Test(arguments: Engine.allCases)
    func `what a partition sends to others is not in its own past`(engine: Engine) throws {
        let past = try Past(engine, partitions: 2)
        var customers = 0
        for partition in 0..<2 {
            let history = try past.history(of: partition)
            #expect(history.contains { $0.action["type"] == "planted/sold" })
            customers += history.count { $0.action["type"] == "planted/thanked" }
            let last = try #require(history.last?.offset)
            let rebuilt = try past.answer("state", "\(partition)", "--at", last)
            #expect(rebuilt["state"] == (try past.answer("state", "\(partition)"))["state"])
        }
        // Some thanks stay in the partition of their sale: both have the customer as their key, but not at the same place.
        #expect(customers < 12)
    }

    @Test(arguments: Engine.allCases)
    func `an action that was written twice counts once in the past too`(engine: Engine) throws {
        let line =
            #"{"type":"planted/sold","payload":{"amount":100,"customer":"c1"},"meta":{"id":"sale-1"}}"#
        let past = try Past(engine, lines: [line, line])
        let history = try past.history(of: 0)
        let last = try #require(history.last?.offset)
        #expect(
            (try past.answer("state", "0", "--at", last))["state"] == (try past.answer("state", "0"))["state"]
        )
    }

    @Test(arguments: Engine.allCases)
    func `a library is tried on the past of a partition`(engine: Engine) throws {
        let past = try Past(engine)
        let history = try past.history(of: 0)
        let wrong = try past.scene.call(
            "cluster", "replay", "0", "--with", try past.candidate("wrong rounding"))
        #expect(wrong.exitCode == 65, "\(wrong.errors)")
        #expect(wrong.output.contains("planted/taxed"), "\(wrong.output)")
        #expect(
            wrong.errors.contains("; the 12 actions after it are numbered from 1\n"), "\(wrong.errors)")
        let first = history.first {
            guard let amount = $0.action["payload"]?["amount"]?.intValue else { return false }
            return amount * 19 / 100 != (amount * 19 + 50) / 100
        }
        #expect(
            wrong.errors.contains(
                "gatehouse: the first action with a difference is \(first?.offset ?? "none")\n"),
            "\(wrong.errors)")
        let sound = try past.scene.call("cluster", "replay", "0", "--with", try past.candidate("none"))
        #expect(sound.exitCode == 0, "\(sound.output)\(sound.errors)")
    }

    @Test func `effects that ran are told, because what they emitted is missing`() throws {
        let ask = #"{"type":"planted/ask"}"#
        let past = try Past(.file, lines: [ask, #"{"type":"planted/returned","payload":0}"#])
        let last = try #require(try past.history(of: 0).last { $0.action["type"] == "planted/ask" }?.offset)
        let outcome = try past.scene.call("cluster", "state", "0", "/planted/receipts", "--at", last)
        #expect(outcome.output == "0\n")
        #expect(
            outcome.errors.hasSuffix(
                "gatehouse: effects were running meanwhile; what they emitted into the partition itself is not kept, and missing here\n"
            ), "\(outcome.errors)")
    }

    @Test func `a moment that is not kept is refused with what is there`() throws {
        let past = try Past(.file)
        let never = try past.scene.call("cluster", "state", "0", "--at", "17-3")
        #expect(never.exitCode == 65)
        #expect(
            never.errors
                == "gatehouse: partition 0 has no action 17-3; see gatehouse cluster history 0\n")
        let malformed = try past.scene.call("cluster", "state", "0", "--at", "noon")
        #expect(malformed.exitCode == 64)
        #expect(malformed.errors.contains("the offset of an action, such as 1795318121367-0"))
        let nothing = try past.scene.call("cluster", "replay", "0")
        #expect(nothing.exitCode == 64)
        #expect(
            nothing.errors.contains(
                "cluster replay needs --with and a library, or --against and a configuration"),
            "\(nothing.errors)")
        let short = try Past(.file, history: 0)
        let replay = try short.scene.call(
            "cluster", "replay", "0", "--with", try short.candidate("none"))
        #expect(replay.exitCode == 65)
        #expect(
            replay.errors.contains(
                "gatehouse: the engine keeps no checkpoint of partition 0 from before that")
                && replay.errors.contains(
                    "; \"history\" in \"cluster\" says for how many seconds it keeps them\n"),
            "\(replay.errors)")
    }
}
