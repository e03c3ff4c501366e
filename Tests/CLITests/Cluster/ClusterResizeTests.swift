// SPDX-License-Identifier: Apache-2.0

import ClusterTorture
import GatehouseCluster
import GatehouseHostTesting
import GatehouseValue
import Glibc
import Testing

/// `gatehouse cluster resize` between members that run.
@Suite(
    .enabled(if: ClusterCase.canRun, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct ClusterResizeTests {
    /// A scene of a number of partitions, on a Redis that others may have used.
    private func scene(_ redis: RedisServer, _ partitions: Int) -> ClusterScene {
        var terms = ClusterScene.Terms()
        terms.partitions = partitions
        return ClusterScene(redis, terms)
    }

    /// A member that does not run, in whose folder commands are called, with a rule for the passbook.
    private func place(_ scene: ClusterScene, split: String? = #"{ "passbook": "/pages" }"#) throws
        -> SceneMember
    {
        try scene.member("place") { text in
            guard let split else { return text }
            return text.replacing(#""key":"#, with: #""split": \#(split), "key":"#)
        }
    }

    /// Puts numbered lines of one writer into the partitions of their keys, as a member does that has taken them in.
    private func append(_ redis: RedisServer, _ partitions: Int, _ numbers: ClosedRange<Int>, keys: Int = 100)
        throws
    {
        var batch = ClusterBatch()
        for number in numbers {
            for key in 0..<keys {
                let action =
                    #"{"type":"passbook/enter","payload":{"key":"k\#(key)","writer":"w","number":\#(number)}}"#
                batch.add(
                    Array(action.utf8), to: PartitionHash.partition(of: "k\(key)", in: partitions),
                    from: ClusterOrigin(source: "writer.1", sequence: UInt64(number * keys + key)))
            }
        }
        let cluster = RedisCluster(
            .unix(path: redis.socket), name: ClusterScene.name, partitions: partitions, patience: .seconds(5))
        let engine = try cluster.connect()
        try engine.join(ClusterPresence(name: "writer", life: "1"))
        try engine.append(batch)
        try engine.leave(ClusterPresence(name: "writer", life: "1"))
    }

    /// Lets members process everything, and ends them in order.
    private func process(_ scene: ClusterScene, _ names: String...) throws {
        let members = try names.map { try scene.member($0) }
        for member in members { try member.startListening() }
        try scene.waitUntilSettled(members)
        try scene.waitUntilDone()
        for member in members {
            let outcome = try member.stop()
            #expect(outcome.exitCode == 0, "\(outcome.errors)")
        }
    }

    /// Expects that each number of each key was entered once and in order.
    private func expectAll(_ slices: [[String: [UInt8]]], upTo last: Int) throws {
        let pages = try PassbookPages(of: slices)
        #expect(pages.faults == [])
        for key in 0..<100 {
            #expect(pages.runs("k\(key)", of: "w") == [1...last], "k\(key)")
            let source = PassbookPages.target(of: "k\(key)", among: 100)
            #expect(pages.runs(source, of: "k\(key)") == [1...(last / 10)], "k\(key)")
        }
        for (partition, own) in slices.enumerated() {
            for key in try PassbookPages(of: [own]).entered.keys {
                #expect(PartitionHash.partition(of: key, in: slices.count) == partition)
            }
        }
    }

    @Test func `states and waiting actions go to more partitions and to fewer, and members go on with them`()
        throws
    {
        let redis = try RedisServer()
        let eight = scene(redis, 8)
        try append(redis, 8, 1...20)
        try process(eight, "a", "b")
        // What comes while no member is there waits; some of it for the second time.
        try append(redis, 8, 15...30)
        let place = try place(eight)
        let plan = try place.call("cluster", "resize", "11", "--dry-run")
        #expect(plan.errors == "")
        #expect(
            plan.output == """
                cluster torture: would go from 8 to 11 partitions
                  passbook  100 keys divided
                  1000 actions waiting, 600 dropped as duplicates

                """)
        let outcome = try place.call("cluster", "resize", "11")
        #expect(outcome.exitCode == 0)
        #expect(
            outcome.output == """
                cluster torture: went from 8 to 11 partitions
                  passbook  100 keys divided
                  1000 actions waiting, 600 dropped as duplicates

                """)
        #expect(
            outcome.errors
                == "gatehouse: plugins.json says 8 partitions; write \"partitions\": 11 below \"cluster\" there for all members before they start\n"
        )
        let eleven = scene(redis, 11)
        try process(eleven, "a", "c")
        try expectAll(try eleven.slices(), upTo: 30)
        #expect(try self.place(eleven).call("cluster", "resize", "3", "--json").exitCode == 0)
        let three = scene(redis, 3)
        try append(redis, 3, 31...40)
        try process(three, "a")
        try expectAll(try three.slices(), upTo: 40)
    }

    @Test func `a member with the old number is refused, and told both and the command`() throws {
        let redis = try RedisServer()
        let scene = scene(redis, 8)
        try append(redis, 8, 1...1)
        #expect(try place(scene).call("cluster", "resize", "2").exitCode == 0)
        let member = try scene.member("a")
        try member.start()
        let outcome = try member.finish()
        #expect(outcome.exitCode != 0)
        #expect(
            outcome.errors.contains(
                "has 2 partitions, not 8; write 2 in plugins.json, or change the cluster with gatehouse cluster resize 8"
            ), "\(outcome.errors)")
    }

    @Test func `while members are there it is refused with their names`() throws {
        let cluster = try ClusterCase()
        _ = try cluster.start("a", "b")
        try cluster.write(10)
        let place = try place(cluster.scene)
        let outcome = try place.call("cluster", "resize", "4")
        #expect(outcome.exitCode == 75)
        #expect(
            outcome.errors == "gatehouse: the cluster torture is in use by a, b; stop all members first\n")
        #expect(
            try place.call("cluster", "resize", "8").errors
                == "gatehouse: the cluster torture has 8 partitions already\n")
        try cluster.write(10)
        try cluster.expectAll()
    }

    @Test func `a state without a rule is refused, and the cluster stays as it is, until it is discarded`()
        throws
    {
        let redis = try RedisServer()
        let scene = scene(redis, 4)
        try append(redis, 4, 1...10)
        try process(scene, "a")
        let place = try place(scene, split: nil)
        let refused = try place.call("cluster", "resize", "2", "--discard", "pasbook")
        #expect(refused.exitCode == 65)
        #expect(
            refused.errors == """
                gatehouse: pasbook: no partition has anything of such an instance, so there is nothing to discard; remove it
                gatehouse: passbook: no rule says which part of its state belongs to which key; give it one in "split", or start it from scratch with --discard

                """)
        try append(redis, 4, 11...20)
        try process(scene, "a")
        try expectAll(try scene.slices(), upTo: 20)
        // The auditor of the line above has a lease until it leaves.
        let discarded = try place.call("cluster", "resize", "2", "--discard", "passbook")
        #expect(discarded.exitCode == 0, "\(discarded.errors)")
        #expect(discarded.output.contains("  passbook  starts from scratch\n"))
    }

    @Test func `a rule for something else than keys is refused`() throws {
        let redis = try RedisServer()
        let scene = scene(redis, 4)
        try append(redis, 4, 1...10)
        try process(scene, "a")
        let outcome = try place(scene, split: #"{ "passbook": "/faults" }"#).call(
            "cluster", "resize", "2", "--dry-run")
        #expect(outcome.exitCode == 65)
        #expect(
            outcome.errors.contains(
                "gatehouse: passbook: expected an object whose members are keys at /faults in partition 0, found an array; correct the rule in \"split\"\n"
            ))
        #expect(outcome.errors.contains("gatehouse: passbook: outside of /faults, /pages/k"))
    }

    @Test func `one that was ended in the middle keeps members out, and is begun anew`() throws {
        let redis = try RedisServer()
        let scene = scene(redis, 8)
        try append(redis, 8, 1...10)
        try process(scene, "a")
        try append(redis, 8, 11...20)
        let killed = try RedisMaintainer(
            .unix(path: redis.socket), name: ClusterScene.name, patience: .seconds(5))
        #expect(try killed.beginResize(of: try #require(try killed.shape()), to: 2) == [])
        try killed.write(["plain": [1]], to: 1)
        var batch = ClusterBatch()
        batch.add([1], to: 1, from: ClusterOrigin(source: "resize", sequence: 1))
        try killed.append(batch)
        let member = try scene.member("b")
        try member.start()
        let outcome = try member.finish()
        #expect(outcome.exitCode != 0)
        #expect(
            outcome.errors.contains(
                "is being resized from 8 to 2 partitions; wait for that, or, if it was interrupted, start it over with gatehouse cluster resize"
            ), "\(outcome.errors)")
        let begun = try place(scene).call("cluster", "resize", "8")
        #expect(begun.exitCode == 0)
        #expect(
            begun.errors
                == "gatehouse: a resize from 8 to 2 partitions was started and did not finish; it is started over\n"
        )
        #expect(throws: ClusterFailure.self) { try killed.finishResize(above: 0) }
        try process(scene, "b")
        try expectAll(try scene.slices(), upTo: 20)
    }

    @Test func `one that is killed at any moment has changed nothing, or everything`() throws {
        let redis = try RedisServer()
        try append(redis, 8, 1...10)
        try process(scene(redis, 8), "a")
        try append(redis, 8, 11...40)
        let place = try place(scene(redis, 8))
        let maintainer = try RedisMaintainer(
            .unix(path: redis.socket), name: ClusterScene.name, patience: .seconds(5))
        var (partitions, begun) = (8, 0)
        for target in [5, 12, 3, 9, 6, 11, 2, 7] {
            let monitor = try RedisMonitor(redis)
            let command = try ChildProcess(
                BuiltProducts.program, ["cluster", "resize", String(target)], in: place.folder.path,
                environment: place.environment, keeping: place.folder)
            // As soon as it has begun, and a few commands later each time.
            try monitor.wait { $0.contains(#":shape" ""#) && $0.contains(">\(target)/") }
            let last = #""SET" "{gatehouse:\#(ClusterScene.name)}:shape" "\#(target)/"#
            for _ in 0..<begun * 4 where try monitor.next().contains(last) { break }
            command.signal(SIGKILL)
            _ = try command.finish()
            let shape = try #require(try maintainer.shape())
            #expect([partitions, target].contains(shape.partitions))
            partitions = shape.partitions
            begun += 1
        }
        let last = try place.call("cluster", "resize", "4")
        #expect(last.exitCode == 0, "\(last.errors)")
        #expect(try redis.call("KEYS", "*:new:*") == "")
        let four = scene(redis, 4)
        try process(four, "a")
        try expectAll(try four.slices(), upTo: 40)
    }
}
