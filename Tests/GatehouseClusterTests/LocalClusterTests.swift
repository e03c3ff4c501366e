// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseHostTesting
import Testing

@testable import GatehouseCluster

/// Readers of a local engine that wait, and what ends a wait.
@Suite(.timeLimit(.minutes(10)))
struct LocalClusterTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A cluster in a file or in memory, which somebody has joined.
    private func cluster(_ isKept: Bool) throws -> LocalCluster {
        let cluster = LocalCluster(
            path: isKept ? folder("p.db") : nil, name: "shop", partitions: 4, patience: .seconds(60))
        try cluster.connect().join(ClusterPresence(name: "a", life: "1"))
        return cluster
    }

    @Test func `an engine without a server runs in this machine's processes alone`() {
        #expect(ClusterPlace.memory.isLocal)
        #expect(ClusterPlace.file("partitions.db").isLocal)
        #expect(!ClusterPlace.redis(RedisAccess(.unix(path: "/run/redis.sock"))).isLocal)
    }

    /// An action for a partition.
    private func batch(_ partition: Int) -> ClusterBatch {
        var batch = ClusterBatch()
        batch.add([7], to: partition, from: ClusterOrigin(source: "in", sequence: 1))
        return batch
    }

    /// A reader of a partition on a thread of its own, which waits longer than any test takes, and how many actions it gets.
    private func reader(_ engine: any ClusterEngine, of partition: Int) -> Task<Int, any Error> {
        nonisolated(unsafe) let engine = engine
        return Task {
            // The threads of tests must not wait for each other.
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(
                        with: Result {
                            var count = 0
                            unsafe try engine.read(
                                [(partition, .start)], atMost: 10, waiting: .seconds(200)
                            ) { _, _ in count += 1 }
                            return count
                        })
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `whoever waits for an action of its partition is woken by it`(isKept: Bool) async throws {
        let cluster = try cluster(isKept)
        let (engine, writer) = (try cluster.connect(), try cluster.connect())
        let id = try engine.reader()
        let reading = reader(engine, of: 2)
        try writer.append(batch(1))
        while !cluster.isAsleep(id) { await Task.yield() }
        try writer.append(batch(2))
        #expect(try await reading.value == 1)
    }

    @Test(arguments: [false, true])
    func `a reader is woken without an action, and only while it waits`(isKept: Bool) async throws {
        let cluster = try cluster(isKept)
        let engine = try cluster.connect()
        let id = try engine.reader()
        #expect(try !cluster.connect().wake(id))
        let reading = reader(engine, of: 2)
        while try !cluster.connect().wake(id) { await Task.yield() }
        #expect(try await reading.value == 0)
        #expect(try engine.reader() == id)
    }

    @Test func `what another process appends ends the wait, too`() async throws {
        let cluster = try cluster(true)
        let engine = try cluster.connect()
        let id = try engine.reader()
        let reading = reader(engine, of: 2)
        while !cluster.isAsleep(id) { await Task.yield() }
        try self.cluster(true).connect().append(batch(2))
        #expect(try await reading.value == 1)
    }

    @Test func `an output of a checkpoint wakes the reader of its partition`() async throws {
        let cluster = try cluster(false)
        let (engine, owner) = (try cluster.connect(), try cluster.connect())
        _ = try owner.renew(ClusterPresence(name: "a", life: "1"), for: .seconds(60))
        _ = try owner.acquire(0, for: "a", after: 0)
        let id = try engine.reader()
        let reading = reader(engine, of: 2)
        while !cluster.isAsleep(id) { await Task.yield() }
        let origin = ClusterOrigin(source: "0", epoch: 1, sequence: 1)
        #expect(
            try owner.checkpoint(
                ClusterCheckpoint(
                    partition: 0, member: "a", epoch: 1, offset: .init(1, 0),
                    outputs: [.init(partition: 2, origin: origin, action: [1])])) == nil)
        #expect(try await reading.value == 1)
    }

    @Test func `a file keeps what was appended, and memory does not`() throws {
        for isKept in [true, false] {
            try cluster(isKept).connect().append(batch(1))
            let lag = try cluster(isKept).connect().survey().partitions[1].lag
            #expect(lag == (isKept ? 1 : 0))
        }
    }

    @Test(arguments: [false, true])
    func `where there is no room nothing of a batch is kept, and a checkpoint makes room`(isKept: Bool) throws
    {
        let cluster = try cluster(isKept)
        let engine = try #require(try cluster.connect() as? LocalEngine)
        try engine.store.execute("PRAGMA max_page_count = 60")
        _ = try engine.renew(ClusterPresence(name: "a", life: "1"), for: .seconds(60))
        _ = try engine.acquire(1, for: "a", after: 0)
        var refusal: ClusterFailure?
        var count = 0
        while refusal == nil {
            var batch = ClusterBatch()
            for number in 0..<2 {
                batch.add(
                    Array(repeating: 0, count: 5_000), to: 1,
                    from: ClusterOrigin(source: "in", sequence: UInt64(2 * count + number)))
            }
            do throws(ClusterFailure) {
                try engine.append(batch)
                count += 1
            } catch {
                refusal = error
            }
        }
        #expect(
            refusal
                == .full("there is no room to write \(isKept ? folder("p.db") : "the memory of this host")"))
        #expect(count > 2)
        var offsets: [ClusterOffset] = []
        try engine.read([(1, .start)], atMost: 1_000, waiting: .zero) { offsets.append($1.offset) }
        #expect(offsets.count == 2 * count)
        // What lies before the older of two checkpoints goes.
        for offset in [offsets[offsets.count - 2], offsets[offsets.count - 1]] {
            let checkpoint = ClusterCheckpoint(
                partition: 1, member: "a", epoch: 1, offset: offset, slices: ["x": [1]])
            #expect(try engine.checkpoint(checkpoint) == nil)
        }
        try engine.append(batch(1))
        #expect(try engine.survey().partitions[1].lag > 0)
    }

    @Test(arguments: [false, true])
    func `whoever cannot be written down has not joined`(isKept: Bool) throws {
        let cluster = try cluster(isKept)
        let engine = try #require(try cluster.connect() as? LocalEngine)
        try engine.store.execute("DROP TABLE members")
        #expect(throws: ClusterFailure.self) { try engine.join(ClusterPresence(name: "b", life: "1")) }
        #expect(cluster.life(of: "b") == nil)
    }

    @Test func `a read takes no more bytes at once than fit, and at least one entry of each partition`()
        throws
    {
        let engine = try cluster(true).connect()
        for number in 0..<8 {
            for partition in 0..<2 {
                var batch = ClusterBatch()
                batch.add(
                    Array(repeating: 0, count: 1 << 20), to: partition,
                    from: ClusterOrigin(source: "in", sequence: UInt64(number)))
                try engine.append(batch)
            }
        }
        var counts = [0, 0]
        try engine.read([(0, .start), (1, .start)], atMost: 100, waiting: .zero) { partition, _ in
            counts[partition] += 1
        }
        #expect(counts == [2, 2])
    }
}
