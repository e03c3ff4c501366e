// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Synchronization
import Testing

@testable import GatehouseCluster

/// What is noticed of a Redis that went back.
@Suite(
    .enabled(if: RedisServer.isInstalled, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct RedisClusterTests {
    private let presence = ClusterPresence(name: "a", life: "one")

    /// One action for partition 0.
    private var batch: ClusterBatch {
        var batch = ClusterBatch()
        batch.add([1], to: 0, from: .init(source: "in", sequence: 1))
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

    /// Why connecting fails: what was known, what was found.
    private func story(_ server: RedisServer, _ known: String, _ found: String) -> ClusterFailure {
        .goneBack(
            "\(server.address) had confirmed \(known), and has \(found) now: it went back to an older copy. Restore its newest copy and start the members again, or continue without the lost data by gatehouse cluster resume"
        )
    }

    @Test func `a server that was restarted with everything is good, and told once`() throws {
        let server = try RedisServer()
        let count = Mutex(0)
        let cluster = RedisCluster(server.access, name: "shop", partitions: 4) { _ in
            count.withLock { $0 += 1 }
        }
        let engine = try cluster.connect()
        try engine.join(presence)
        _ = try engine.renew(presence, for: .seconds(60))
        _ = try engine.acquire(0, for: "a", after: 0)
        try engine.append(batch)
        try server.call("SAVE")
        try server.kill()
        try server.restart()
        #expect(failure { () throws(ClusterFailure) in try engine.append(batch) } != nil)
        let again = try cluster.connect()
        _ = try cluster.connect()
        #expect(count.withLock { $0 } == 1)
        #expect(try again.renew(presence, for: .seconds(60)).titles[0] == .init(owner: "a", epoch: 1))
    }

    @Test
    func `a server without the newest action has gone back, for every connection, until it has it again`()
        throws
    {
        let server = try RedisServer("--enable-protected-configs", "yes")
        let cluster = server.cluster()
        let engine = try cluster.connect()
        try engine.join(presence)
        try engine.append(batch)
        try server.call("SAVE")
        var kept = ""
        try engine.read([(0, .start)], atMost: 1, waiting: .zero) { kept = $1.offset.description }
        try server.call("CONFIG", "SET", "dbfilename", "newest.rdb")
        try engine.append(batch)
        var newest = ""
        try engine.read([(0, .start)], atMost: 9, waiting: .zero) { newest = $1.offset.description }
        try server.call("SAVE")
        try server.kill()
        try server.restart()
        let expected = story(server, "actions of partition 0 up to \(newest)", kept)
        for _ in 0..<2 {
            #expect(failure { () throws(ClusterFailure) in _ = try cluster.connect() } == expected)
        }
        // Whoever knows nothing takes it as it is.
        _ = try server.cluster().connect()
        try server.kill()
        try server.restart("--dbfilename", "newest.rdb")
        try cluster.connect().append(batch)
    }

    @Test func `a server without the newest checkpoint, or epoch, has gone back`() throws {
        let server = try RedisServer()
        for isEpoch in [true, false] {
            let cluster = server.cluster(isEpoch ? "epoch" : "checkpoint")
            let engine = try cluster.connect()
            try engine.join(presence)
            _ = try engine.renew(presence, for: .seconds(60))
            if isEpoch { try server.call("SAVE") }
            _ = try engine.acquire(3, for: "a", after: 0)
            if !isEpoch {
                try server.call("SAVE")
                let written = ClusterCheckpoint(partition: 3, member: "a", epoch: 1, offset: .init(7, 0))
                #expect(try engine.checkpoint(written) == nil)
            }
            try server.kill()
            try server.restart()
            let expected =
                isEpoch
                ? story(server, "epoch 1 of partition 3", "epoch 0")
                : story(server, "a checkpoint of partition 3 at 7-0", "one at 0-0")
            #expect(failure { () throws(ClusterFailure) in _ = try cluster.connect() } == expected)
        }
    }

    @Test func `a server that was emptied is noticed by the next renewal, append and connection`() throws {
        let server = try RedisServer()
        let cluster = server.cluster()
        let engine = try cluster.connect()
        try engine.join(presence)
        _ = try engine.renew(presence, for: .seconds(60))
        try server.call("FLUSHALL")
        let expected = ClusterFailure.goneBack(
            "\(server.address) does not know the cluster 'shop' any more: it was emptied. Restore its newest copy and start the members again, or continue without the lost data by gatehouse cluster resume"
        )
        #expect(
            failure { () throws(ClusterFailure) in _ = try engine.renew(presence, for: .seconds(60)) }
                == expected)
        #expect(failure { () throws(ClusterFailure) in try engine.append(batch) } == expected)
        #expect(failure { () throws(ClusterFailure) in try engine.join(presence) } == expected)
        #expect(failure { () throws(ClusterFailure) in _ = try cluster.connect() } == expected)
    }

    @Test func `a partition whose epoch has gone back under the same run is noticed by whoever meets it`()
        throws
    {
        let server = try RedisServer()
        let cluster = server.cluster()
        let engine = try cluster.connect()
        try engine.join(presence)
        _ = try engine.renew(presence, for: .seconds(60))
        _ = try engine.acquire(2, for: "a", after: 0)
        try server.call("DEL", "{gatehouse:shop}:titles")
        let expected = story(server, "epoch 1 of partition 2", "epoch 0")
        let written = ClusterCheckpoint(partition: 2, member: "a", epoch: 1, offset: .init(7, 0))
        #expect(failure { () throws(ClusterFailure) in _ = try engine.checkpoint(written) } == expected)
        #expect(
            failure { () throws(ClusterFailure) in _ = try engine.renew(presence, for: .seconds(60)) }
                == expected)
        #expect(failure { () throws(ClusterFailure) in _ = try cluster.connect() } == expected)
    }

    // MARK: - Keys that vanish

    /// What is told of something that vanished.
    private func vanished(_ server: RedisServer, _ known: String, _ found: String) -> ClusterFailure {
        .goneBack(
            "\(server.address) had confirmed \(known), and has \(found) now: keys of the cluster were removed. Restore its newest copy and start the members again, or continue without the lost data by gatehouse cluster resume"
        )
    }

    @Test func `a server that may evict partitions is refused, also by connections that there are`() throws {
        let server = try RedisServer()
        let cluster = RedisCluster(server.access, name: "shop", partitions: 4, pause: .zero)
        let (engine, other) = (try cluster.connect(), try cluster.connect())
        try engine.join(presence)
        _ = try engine.renew(presence, for: .seconds(60))
        try server.call("CONFIG", "SET", "maxmemory-policy", "volatile-lru")
        _ = try engine.renew(presence, for: .seconds(60))
        try server.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        let expected = ClusterFailure.denied(
            "\(server.address) may evict partitions when it is full, by maxmemory-policy allkeys-lru; set that to noeviction"
        )
        #expect(
            failure { () throws(ClusterFailure) in _ = try engine.renew(presence, for: .seconds(60)) }
                == expected)
        #expect(failure { () throws(ClusterFailure) in try other.append(batch) } == expected)
        #expect(failure { () throws(ClusterFailure) in _ = try cluster.connect() } == expected)
        try server.call("CONFIG", "SET", "maxmemory-policy", "noeviction")
        try cluster.connect().append(batch)
    }

    @Test func `a partition whose state vanished is told by a checkpoint, and by the next owner`() throws {
        let server = try RedisServer()
        let engine = try server.engine()
        _ = try engine.renew(presence, for: .seconds(60))
        _ = try engine.acquire(0, for: "a", after: 0)
        try engine.append(batch)
        var offset = ClusterOffset.start
        try engine.read([(0, .start)], atMost: 1, waiting: .zero) { offset = $1.offset }
        var written = ClusterCheckpoint(
            partition: 0, member: "a", epoch: 1, offset: offset, processed: 1, number: 1)
        #expect(try engine.checkpoint(written) == nil)
        try server.call("DEL", "{gatehouse:shop}:state:0")
        (written.base, written.number) = (offset, 2)
        let expected = vanished(server, "a checkpoint of partition 0 at \(offset)", "one at 0-0")
        #expect(failure { () throws(ClusterFailure) in _ = try engine.checkpoint(written) } == expected)
        // A process that has never known the partition.
        let stranger = try server.cluster().connect()
        try stranger.join(ClusterPresence(name: "a", life: "two"))
        _ = try stranger.renew(ClusterPresence(name: "a", life: "two"), for: .seconds(60))
        #expect(
            failure { () throws(ClusterFailure) in _ = try stranger.acquire(0, for: "a", after: 1) }
                == expected)
    }

    @Test
    func `actions that vanished are told by whoever appends, writes a checkpoint or takes the partition`()
        throws
    {
        let server = try RedisServer()
        let engine = try server.engine()
        _ = try engine.renew(presence, for: .seconds(60))
        _ = try engine.acquire(0, for: "a", after: 0)
        try engine.append(batch)
        try server.call("DEL", "{gatehouse:shop}:in:0")
        let expected = vanished(server, "actions of partition 0", "none of them")
        #expect(failure { () throws(ClusterFailure) in try engine.append(batch) } == expected)
        var written = ClusterCheckpoint(partition: 0, member: "a", epoch: 1, number: 1)
        #expect(failure { () throws(ClusterFailure) in _ = try engine.checkpoint(written) } == expected)
        #expect(
            failure { () throws(ClusterFailure) in _ = try engine.acquire(0, for: "a", after: 1) } == expected
        )
        // Outputs for it leave the partition that emits them as it was.
        _ = try engine.acquire(1, for: "a", after: 0)
        written = ClusterCheckpoint(partition: 1, member: "a", epoch: 1, slices: ["plain": [1]], number: 1)
        written.outputs = [
            .init(partition: 0, origin: .init(source: "1", epoch: 1, sequence: 1), action: [2])
        ]
        #expect(failure { () throws(ClusterFailure) in _ = try engine.checkpoint(written) } == expected)
        #expect(try server.call("HEXISTS", "{gatehouse:shop}:state:1", "s:plain") == "0")
        #expect(try server.call("EXISTS", "{gatehouse:shop}:in:0") == "0")
    }
}
