// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseCluster

/// A cluster that stands still because Redis has lost something, and how it continues.
@Suite(
    .enabled(if: RedisServer.isInstalled, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct ClusterHaltTests {
    private let server: RedisServer
    private let presence = ClusterPresence(name: "a", life: "one")
    private let remedy =
        ". Restore its newest copy and start the members again, or continue without the lost data by gatehouse cluster resume"

    init() throws { server = try RedisServer() }

    /// One action for a partition.
    private func batch(_ partition: Int, _ sequence: UInt64) -> ClusterBatch {
        var batch = ClusterBatch()
        batch.add([1], to: partition, from: .init(source: "in", sequence: sequence))
        return batch
    }

    /// What a call throws; nil for nothing.
    private func failure(_ call: () throws(ClusterFailure) -> Void) -> ClusterFailure? {
        do throws(ClusterFailure) {
            try call()
            return nil
        } catch {
            return error
        }
    }

    /// Why nobody comes to the cluster of the server.
    private func halted(_ reason: String) -> ClusterFailure {
        .goneBack("the cluster 'shop' at \(server.address) is halted, as found by \(reason)\(remedy)")
    }

    /// Connects the member, which joins and takes partition 0.
    private func begin(_ cluster: RedisCluster) throws -> any ClusterEngine {
        let engine = try cluster.connect()
        try engine.join(presence)
        let roll = try engine.renew(presence, for: .seconds(60))
        _ = try engine.acquire(0, for: "a", after: roll.titles[0].epoch)
        return engine
    }

    /// The maintainer of the cluster.
    private func maintainer() throws -> RedisMaintainer {
        try RedisMaintainer(server.access, name: "shop", patience: .seconds(5))
    }

    @Test func `a halted cluster is closed to all members, those of other processes too`() throws {
        let cluster = server.cluster()
        let engine = try begin(cluster)
        try engine.append(batch(0, 1))
        #expect(try cluster.halt(for: .goneBack("Redis forgot it\(remedy)"), by: "a", at: 1_795_318_121))
        let expected = halted("a: Redis forgot it")
        #expect(
            failure { () throws(ClusterFailure) in _ = try engine.renew(presence, for: .seconds(60)) }
                == expected)
        #expect(failure { () throws(ClusterFailure) in try engine.append(batch(0, 2)) } == expected)
        #expect(failure { () throws(ClusterFailure) in _ = try cluster.connect() } == expected)
        let stranger = try server.cluster().connect()
        #expect(
            failure { () throws(ClusterFailure) in try stranger.join(ClusterPresence(name: "b", life: "1")) }
                == expected)
        // What the owner still has in hand is fenced.
        let written = ClusterCheckpoint(
            partition: 0, member: "a", epoch: 1, slices: ["plain": [1]], number: 1)
        #expect(try engine.checkpoint(written) == .init(owner: nil, epoch: 2))
        // The first one counts.
        #expect(try cluster.halt(for: .goneBack("something else"), by: "b", at: 1))
        #expect(failure { () throws(ClusterFailure) in _ = try cluster.connect() } == expected)
    }

    @Test func `no other failure halts a cluster`() throws {
        let cluster = server.cluster()
        let engine = try begin(cluster)
        for failure in [ClusterFailure.lost("r"), .refused("r"), .superseded("r"), .full("r"), .denied("r")] {
            #expect(try !cluster.halt(for: failure, by: "a", at: 1))
        }
        try engine.append(batch(0, 1))
    }

    @Test func `a halted cluster lists what each member misses, and continues without it`() throws {
        let cluster = server.cluster()
        let engine = try begin(cluster)
        for partition in 0..<2 { try engine.append(batch(partition, UInt64(partition + 1))) }
        var last = [ClusterOffset.start, .start]
        try engine.read([(0, .start), (1, .start)], atMost: 1, waiting: .zero) { last[$0] = $1.offset }
        var written = ClusterCheckpoint(
            partition: 0, member: "a", epoch: 1, offset: last[0], slices: ["plain": [1]], processed: 1,
            number: 1)
        #expect(try engine.checkpoint(written) == nil)
        try server.call("DEL", "{gatehouse:shop}:state:0", "{gatehouse:shop}:in:1")
        let found = try #require(
            failure { () throws(ClusterFailure) in try engine.append(batch(1, 3)) })
        #expect(try cluster.halt(for: found, by: "a", at: 1))
        let maintainer = try maintainer()
        let shape = try #require(try maintainer.shape())
        #expect(shape.partitions == 4)
        #expect(
            shape.halted
                == "a: \(server.address) had confirmed actions of partition 1, and has none of them now: keys of the cluster were removed"
        )
        #expect(
            try maintainer.missing().map { "\($0.member) \($0.what)" } == [
                "a had a checkpoint of partition 0 at \(last[0]), found one at 0-0",
                "a had actions of partition 1 up to \(last[1]), found 0-0",
            ])
        try maintainer.resume(shape)
        #expect(try maintainer.shape()?.halted == nil)
        #expect(try maintainer.missing().isEmpty)
        // The process that knows what is lost, and one that knows nothing.
        for cluster in [cluster, server.cluster()] {
            let again = try begin(cluster)
            for partition in 0..<2 { try again.append(batch(partition, 9)) }
            var count = 0
            try again.read([(0, .start), (1, .start)], atMost: 9, waiting: .zero) { _, _ in count += 1 }
            #expect(count >= 3)
        }
        let other = server.cluster()
        let owner = try begin(other)
        written = ClusterCheckpoint(
            partition: 0, member: "a", epoch: try owner.renew(presence, for: .seconds(60)).titles[0].epoch,
            slices: ["plain": [2]], number: 1)
        #expect(try owner.checkpoint(written) == nil)
    }

    @Test
    func `a cluster that was emptied is halted before a member makes a new one, and can be begun again`()
        throws
    {
        let cluster = server.cluster()
        let engine = try begin(cluster)
        try engine.append(batch(0, 1))
        try server.call("FLUSHALL")
        let found = try #require(failure { () throws(ClusterFailure) in _ = try cluster.connect() })
        #expect(try cluster.halt(for: found, by: "a", at: 1))
        let stranger = try server.cluster().connect()
        let expected = halted(
            "a: \(server.address) does not know the cluster 'shop' any more: it was emptied")
        #expect(failure { () throws(ClusterFailure) in try stranger.join(presence) } == expected)
        let maintainer = try maintainer()
        try maintainer.resume(try #require(try maintainer.shape()))
        _ = try begin(cluster)
    }

    @Test func `a later process of the member still knows what was confirmed, until another era begins`()
        throws
    {
        let cluster = server.cluster()
        let engine = try begin(cluster)
        try engine.append(batch(0, 1))
        let promise = cluster.confirmed.promise
        #expect(promise.era != nil)
        #expect(promise.floors[0].entry > .start)
        try server.call("DEL", "{gatehouse:shop}:in:0")
        let later = server.cluster()
        later.confirmed.recall(promise)
        #expect(
            failure { () throws(ClusterFailure) in _ = try later.connect() }
                == .goneBack(
                    "\(server.address) had confirmed actions of partition 0 up to \(promise.floors[0].entry), and has 0-0 now: it went back to an older copy\(remedy)"
                ))
        // A resize divides what there is, and begins an era.
        try engine.leave(presence)
        let maintainer = try maintainer()
        let shape = try #require(try maintainer.shape())
        #expect(try maintainer.beginResize(of: shape, to: 4) == [])
        try maintainer.finishResize(above: 0)
        let resized = server.cluster()
        resized.confirmed.recall(promise)
        _ = try resized.connect()
        #expect(resized.confirmed.promise.floors.allSatisfy { $0 == .init() })
        #expect(resized.confirmed.promise.era != promise.era)
    }

    @Test func `a member of another cluster of the name does not join, and halts nobody`() throws {
        var promise = ClusterPromise(partitions: 4)
        promise.era = "before"
        let engine = try begin(server.cluster())
        let cluster = server.cluster()
        cluster.confirmed.recall(promise)
        let found = failure { () throws(ClusterFailure) in _ = try cluster.connect() }
        #expect(
            found
                == .goneBack(
                    "\(server.address) has another cluster 'shop' than the one that this member knows: it was replaced\(remedy)"
                ))
        #expect(try !cluster.halt(for: try #require(found), by: "b", at: 1))
        try engine.append(batch(0, 1))
    }
}
