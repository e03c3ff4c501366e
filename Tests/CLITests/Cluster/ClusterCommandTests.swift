// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseValue
import Testing

@testable import GatehouseCluster

/// `gatehouse cluster` beside an engine, without any member.
@Suite(
    .enabled(if: ClusterCase.canRun, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct ClusterCommandTests {
    /// A folder with a configuration that names a cluster on a server.
    private func scene(_ redis: RedisServer, partitions: Int = 4) throws -> Scene {
        try Scene(
            #"{ "cluster": { "engine": "\#(redis.url)", "name": "shop", "partitions": \#(partitions), "key": { "orders/*": "/order" } }, "plugins": [] }"#
        )
    }

    /// A cluster with two members that are gone, the second of which has partition 1, and two dead letters.
    private func leave(_ redis: RedisServer) throws {
        let engine = try RedisCluster(.unix(path: redis.socket), name: "shop", partitions: 4).connect()
        let presences = ["a", "b"].map {
            ClusterPresence(name: $0, life: "1", digest: "abcdef0123456789", version: "1.2.3", process: 17)
        }
        for presence in presences {
            try engine.join(presence)
            _ = try engine.renew(presence, for: .seconds(60))
        }
        guard case .granted(let epoch, _, _, _) = try engine.acquire(1, for: "b", after: 0) else {
            throw ClusterFailure.refused("not granted")
        }
        let letters = [
            (1, #"{"type":"orders/place","payload":{"order":"E-7"}}"#), (2, "no action"),
        ].map {
            ClusterDeadLetter(
                partition: 1, offset: ClusterOffset(12, $0.0), origin: nil, action: Array($0.1.utf8),
                reason: "it has ended its host 3 times", member: "b", time: 1_795_318_121)
        }
        #expect(
            try engine.checkpoint(
                ClusterCheckpoint(partition: 1, member: "b", epoch: epoch, offset: .start, dead: letters))
                == nil)
        _ = try engine.renew(presences[0], for: .seconds(3_000))
        var batch = ClusterBatch()
        batch.add(Array("{}".utf8), to: 2, from: ClusterOrigin(source: "in", sequence: 1))
        try engine.append(batch)
        try engine.leave(presences[1])
    }

    @Test func `the status tells members, and partitions that nobody processes`() throws {
        let redis = try RedisServer()
        try leave(redis)
        let outcome = try scene(redis).call("cluster", "status")
        #expect(outcome.exitCode == 0, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.first == "cluster shop: 1 live member, 4 partitions, 1 action behind, 2 dead letters")
        #expect(lines[2] == "NAME  IS      LEASE  PARTITIONS  BEHIND  PLUGINS   VERSION  PROCESS")
        #expect(lines[3].hasPrefix("a     live  "))
        #expect(lines[3].hasSuffix("           0       0  abcdef01  1.2.3         17"))
        #expect(lines[5] == "4 of 4 partitions without a live owner, or lagging for 1 s or longer:")
        #expect(lines[6] == "PARTITION  OWNER     EPOCH  BEHIND  OLDEST  CHECKPOINT")
        #expect(lines[8].hasPrefix("        1  b (gone)      1       0          "))
        #expect(lines[9].hasPrefix("        2  nobody        0       1   "))
    }

    @Test func `the same is there for programs`() throws {
        let redis = try RedisServer()
        try leave(redis)
        let answer = try JSONText.parse(try scene(redis).call("cluster", "status", "--json").output)
        #expect(answer["cluster"] == "shop")
        #expect(answer["deadLetters"] == 2)
        #expect(answer["members"]?[0]?["name"] == "a")
        #expect(answer["members"]?[0]?["live"] == true)
        #expect(answer["members"]?[0]?["plugins"] == "abcdef0123456789")
        #expect(answer["partitions"]?.arrayValue?.map { $0["lag"] } == [0, 0, 1, 0])
        #expect(answer["partitions"]?[1]?["owner"] == "b")
        #expect(answer["partitions"]?[1]?["epoch"] == 1)
    }

    @Test func `keys are told with their partitions, and with what waits there`() throws {
        let redis = try RedisServer()
        try leave(redis)
        let scene = try scene(redis)
        #expect(
            try scene.call("cluster", "where", "E-1002", "größe").output == """
                KEY     PARTITION  OWNER   BEHIND  OF KEY
                E-1002          2  nobody       1       0
                größe           0  nobody       0       0

                """)
        for order in ["E-1002", "E-1", "E-1002"] {
            try redis.call(
                "XADD", "{gatehouse:shop}:in:2", "*", "a",
                "{\"type\":\"orders/place\",\"payload\":{\"order\":\"\(order)\"}}")
        }
        let more = try JSONText.parse(try scene.call("cluster", "where", "E-1002", "E-1", "--json").output)
        #expect(more["keys"]?[0]?["lagOfKey"] == 2, "\(more)")
        #expect(more["keys"]?[1]?["lagOfKey"] == (more["keys"]?[1]?["partition"] == 2 ? 1 : 0), "\(more)")
        let answer = try JSONText.parse(try scene.call("cluster", "where", "E-1002", "--json").output)
        #expect(
            answer["keys"]?[0]?["partition"] == 2 && answer["keys"]?[0]?["owner"] == .null, "\(answer)")
        let empty = try scene.call("cluster", "where")
        #expect(empty.exitCode == 64)
        #expect(empty.errors.contains("cluster where needs keys"), "\(empty.errors)")
    }

    @Test func `a long name of an owner is cut alike among partitions and beside a key`() throws {
        let redis = try RedisServer()
        let engine = try RedisCluster(.unix(path: redis.socket), name: "shop", partitions: 4).connect()
        let name = String(repeating: "n", count: 40)
        let presence = ClusterPresence(
            name: name, life: "1", digest: "abcdef0123456789", version: "1.2.3", process: 17)
        try engine.join(presence)
        _ = try engine.renew(presence, for: .seconds(60))
        // The partition of the key.
        guard case .granted = try engine.acquire(2, for: name, after: 0) else {
            throw ClusterFailure.refused("not granted")
        }
        try engine.leave(presence)
        let scene = try scene(redis)
        let place = try scene.call("cluster", "where", "E-1002").output.split { $0.isWhitespace }
        let shown = try #require(place.first { $0.hasPrefix("nn") })
        #expect(shown.hasSuffix("n…"))
        let partitions = try scene.call("cluster", "status").output.split { $0.isWhitespace }
        #expect(partitions.contains(shown), "\(partitions)")
    }

    @Test func `the actions of a partition and of a key are there for as long as they are kept`() throws {
        let folder = try TemporaryFolder()
        let scene = try Scene(
            """
            { "name": "a", "cluster": { "engine": "local:\(folder("p.db"))", "name": "shop", "partitions": 4,
                "history": 3600, "key": { "counter/*": "/order" } }, "plugins": [{ "id": "counter" }] }
            """, libraries: ["CounterPlugin"])
        let lines = ["E-1002", "E-9", "E-1002"].enumerated().map { number, order in
            #"{"type":"counter/increment","payload":{"order":"\#(order)","by":\#(number + 1)}}"# + "\n"
        }
        let run = try scene.run(["--input", "-", "--print", "none"], input: lines.joined())
        #expect(run.exitCode == 0, "\(run.errors)")
        let text = try scene.call("cluster", "history", "--key", "E-1002")
        let shown = text.output.split(separator: "\n")
        #expect(shown.count == 2, "\(text.output)\(text.errors)")
        #expect(shown[0].hasSuffix(#"Z  counter/increment  {"order":"E-1002","by":1}"#), "\(shown)")
        #expect(shown[1].hasSuffix(#"Z  counter/increment  {"order":"E-1002","by":3}"#), "\(shown)")
        let answer = try JSONText.parse(
            try scene.call("cluster", "history", "2", "--limit", "1", "--json").output)
        #expect(answer["partition"] == 2)
        #expect(answer["actions"]?.arrayValue?.count == 1)
        #expect(answer["actions"]?[0]?["action"]?["payload"]?["by"] == 3, "\(answer)")
        #expect(answer["actions"]?[0]?["waiting"] == false)
        #expect(answer["kept"].flatMap(\.intValue).map { $0 >= 2 } == true)
        let limited = try scene.call("cluster", "history", "--key", "E-1002", "--limit", "1").output
        #expect(limited.hasSuffix("\n1 of 2 actions in partition 2\n"), "\(limited)")
        let other = try scene.call("cluster", "history", "1", "--key", "E-1002")
        #expect(other.errors == "gatehouse: the key E-1002 belongs to partition 2\n")
        #expect(other.exitCode == 64)
        #expect(
            try scene.call("cluster", "history", "--key", "nobody").output.hasPrefix(
                "the engine has no actions of this in partition "))
        let none = try scene.call("cluster", "history", "4")
        #expect(
            none.errors
                == "gatehouse: there is no partition 4; the cluster shop has 4 partitions, from 0 to 3\n")
        #expect(
            try scene.call("cluster", "history").errors.contains(
                "cluster history needs the number of a partition, or --key"))
        #expect(
            try scene.call("cluster", "history", "x").errors.contains("the number of a partition, from 0 on"))
    }

    @Test func `a long history is read to its end`() throws {
        let scene = try Scene(
            """
            { "name": "a", "cluster": { "engine": "local:p.db", "name": "shop", "partitions": 1,
                "history": 3600, "key": { "counter/*": "" } }, "plugins": [{ "id": "counter" }] }
            """, libraries: ["CounterPlugin"])
        let lines = (1...2_001).map { #"{"type":"counter/increment","payload":{"by":\#($0)}}"# + "\n" }
        let run = try scene.run(["--input", "-", "--print", "none"], input: lines.joined())
        #expect(run.exitCode == 0, "\(run.errors)")
        let outcome = try scene.call("cluster", "history", "0", "--limit", "2")
        let shown = outcome.output.split(separator: "\n")
        #expect(shown.count == 3, "\(outcome.output)\(outcome.errors)")
        #expect(shown[0].hasSuffix(#"Z  counter/increment  {"by":2000}"#), "\(shown)")
        #expect(shown[1].hasSuffix(#"Z  counter/increment  {"by":2001}"#), "\(shown)")
        #expect(shown[2] == "2 of 2001 actions in partition 0")
    }

    @Test func `the state of a partition is there while no member runs`() throws {
        let redis = try RedisServer()
        let scene = try Scene(
            """
            { "name": "a", "cluster": { "engine": "\(redis.url)", "name": "shop", "partitions": 4,
                "key": { "counter/*": "/order" } }, "plugins": [{ "id": "counter" }] }
            """, libraries: ["CounterPlugin"])
        let run = try scene.run(
            ["--input", "-", "--print", "none"],
            input: #"{"type":"counter/increment","payload":{"order":"E-1002","by":3}}"# + "\n")
        #expect(run.exitCode == 0, "\(run.errors)")
        try redis.call("XADD", "{gatehouse:shop}:in:2", "*", "a", #"{"type":"counter/increment"}"#)
        let outcome = try scene.call("cluster", "state", "2")
        #expect(try JSONText.parse(outcome.output) == ["counter": ["count": 3]])
        #expect(
            outcome.errors.hasPrefix("gatehouse: partition 2 as its last checkpoint has it, written "),
            "\(outcome.errors)")
        #expect(outcome.errors.hasSuffix(" ago; 1 action behind\n"), "\(outcome.errors)")
        #expect(try scene.call("cluster", "state", "2", "/counter/count").output == "3\n")
        let answer = try JSONText.parse(try scene.call("cluster", "state", "1", "--json").output)
        #expect(answer["state"] == ["counter": ["count": 0]])
        #expect(answer["effects"] == [] && answer["held"] == 0 && answer["lag"] == 0, "\(answer)")
        let nothing = try scene.call("cluster", "state", "2", "/orders")
        #expect(nothing.errors == "gatehouse: the state of partition 2 has nothing at /orders\n")
        #expect(nothing.exitCode == 65)
    }

    @Test(arguments: [
        (
            ["4"], 64,
            "gatehouse: there is no partition 4; the cluster shop has 4 partitions, from 0 to 3\n"
        ),
        (["0"], 65, "gatehouse: partition 0 has no checkpoint yet, and so no state\n"),
    ])
    func `a state that is not there is told`(arguments: [String], exitCode: Int32, sentence: String) throws {
        let redis = try RedisServer()
        try leave(redis)
        let outcome = try scene(redis).call("cluster", "state", arguments[0])
        #expect(outcome.errors == sentence)
        #expect(outcome.exitCode == exitCode)
        #expect(outcome.output == "")
    }

    @Test(arguments: [
        ([], "cluster state needs the number of a partition"),
        (["x"], "expected the number of a partition, from 0 on, found \"x\""),
        (["1", "a"], "expected a JSON Pointer such as \"/orders/eu\", found \"a\""),
    ])
    func `what names no partition is refused`(arguments: [String], sentence: String) throws {
        let outcome = try ChildProcess.run(arguments: ["cluster", "state"] + arguments)
        #expect(outcome.errors.contains(sentence), "\(outcome.errors)")
        #expect(outcome.exitCode == 64)
    }

    @Test func `a configuration with another number of partitions does not keep from looking`() throws {
        let redis = try RedisServer()
        try leave(redis)
        let outcome = try scene(redis, partitions: 9).call("cluster", "status")
        #expect(outcome.output.hasPrefix("cluster shop: 1 live member, 4 partitions, "))
    }

    @Test func `dead letters are listed, shown, put back and removed by their names`() throws {
        let redis = try RedisServer()
        try leave(redis)
        let scene = try scene(redis)
        #expect(
            try scene.call("cluster", "dead-letters").output == """
                1:12-1  2026-11-22T03:28:41.000Z  orders/place
                    b: it has ended its host 3 times
                1:12-2  2026-11-22T03:28:41.000Z  no action
                    b: it has ended its host 3 times

                """)
        #expect(
            try scene.call("cluster", "dead-letters", "--limit", "1").output.hasSuffix(
                "1 of 2 dead letters\n"))
        #expect(
            try scene.call("cluster", "dead-letters", "--show", "1:12-1").output == """
                1:12-1  2026-11-22T03:28:41.000Z  orders/place
                    b: it has ended its host 3 times
                {
                  "type": "orders/place",
                  "payload": {
                    "order": "E-7"
                  }
                }

                """)
        let listed = try JSONText.parse(try scene.call("cluster", "dead-letters", "--json").output)
        #expect(listed["letters"]?[0]?["action"]?["payload"]?["order"] == "E-7")
        #expect(listed["letters"]?[1]?["text"] == "no action")
        let home = PartitionHash.partition(of: "E-7", in: 4)
        let redispatched = try scene.call("cluster", "redispatch", "1:12-1", "1:12-1")
        #expect(redispatched.output == "1:12-1: appended to partition \(home)\n")
        #expect(redispatched.exitCode == 64)
        #expect(
            redispatched.errors
                == "gatehouse: there is no dead letter 1:12-1; see gatehouse cluster dead-letters\n")
        #expect(
            try redis.call("XRANGE", "{gatehouse:shop}:in:\(home)", "-", "+").contains(
                #"{"type":"orders/place","payload":{"order":"E-7"}}"#))
        #expect(try scene.call("cluster", "remove", "1:12-2").output == "1:12-2: removed\n")
        #expect(try scene.call("cluster", "dead-letters").output == "no dead letters\n")
        #expect(try scene.call("cluster", "dead-letters", "--show", "1:12-2").exitCode == 64)
    }

    @Test
    func
        `without a cluster, without an engine and without a configuration of one it is said what is missing`()
        throws
    {
        let redis = try RedisServer()
        let scene = try scene(redis)
        let none = try scene.call("cluster", "status")
        #expect(none.exitCode == 69)
        #expect(
            none.errors
                == "gatehouse: there is no cluster shop at \(redis.url); it is created when the first member joins\n"
        )
        try redis.kill()
        let lost = try scene.call("cluster", "status")
        #expect(lost.exitCode == 69)
        #expect(lost.errors.hasPrefix("gatehouse: cluster shop at \(redis.url): "), "\(lost.errors)")
        let single = try Scene("{}").call("cluster", "resize", "3")
        #expect(single.exitCode == 78)
        #expect(single.errors == "gatehouse: plugins.json names no cluster; add \"cluster\"\n")
    }

    @Test(arguments: [
        (["status", "x"], "unexpected argument \"x\"; see gatehouse help cluster"),
        (["resize"], "cluster resize needs a number of partitions; see gatehouse help cluster resize"),
        (["remove"], "cluster remove needs the names of dead letters; see gatehouse help cluster remove"),
        (
            ["status", "--dry-run"],
            "--dry-run belongs to cluster resize, found it with cluster status; leave it out"
        ),
        (
            ["remove", "1:2-3", "--discard", "a"],
            "--discard belongs to cluster resize, found it with cluster remove; leave it out"
        ),
        (["resiz", "3"], "unknown request \"resiz\", did you mean \"resize\"?; see gatehouse help cluster"),
        (["resize", "0"], "cluster resize: expected a number of partitions from 1 to 4096, found \"0\""),
        (
            ["remove", "7"],
            "cluster remove: expected the name of a dead letter of the cluster, such as 7:1795318121367-0, found \"7\""
        ),
    ])
    func `a command line that makes no sense is refused`(words: [String], sentence: String) throws {
        let outcome = try ChildProcess.run(arguments: ["cluster"] + words)
        #expect(outcome.exitCode == 64)
        #expect(outcome.errors == "gatehouse: \(sentence)\n")
    }
}
