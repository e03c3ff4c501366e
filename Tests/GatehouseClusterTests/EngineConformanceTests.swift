// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseCluster

/// What every engine holds: a real Redis, and partitions of the host itself in a file and in memory.
@Suite(
    .enabled(if: RedisServer.isInstalled, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct EngineConformanceTests {
    /// An entry that outlives its being shown.
    struct Shown: Equatable {
        var offset: ClusterOffset
        var origin: ClusterOrigin?
        var action: [UInt8]
    }

    /// Reads what partitions have after an offset each, without waiting for more.
    func entries(
        _ engine: any ClusterEngine, _ offsets: [(partition: Int, offset: ClusterOffset)],
        atMost count: Int = 100,
        waiting: Duration = .zero
    ) throws -> [Int: [Shown]] {
        var shown: [Int: [Shown]] = [:]
        try engine.read(offsets, atMost: count, waiting: waiting) { partition, entry in
            shown[partition, default: []].append(
                unsafe Shown(offset: entry.offset, origin: entry.origin, action: Array(entry.action)))
        }
        return shown
    }

    /// Reads what a partition has after an offset, without waiting for more.
    func entries(
        _ engine: any ClusterEngine, _ partition: Int, after offset: ClusterOffset = .start,
        atMost count: Int = 100
    ) throws -> [Shown] {
        try entries(engine, [(partition, offset)], atMost: count)[partition] ?? []
    }

    /// Actions of one writer, numbered from 1.
    func batch(_ actions: [(partition: Int, action: [UInt8])]) -> ClusterBatch {
        var batch = ClusterBatch()
        for (index, (partition, action)) in actions.enumerated() {
            batch.add(action, to: partition, from: ClusterOrigin(source: "in", sequence: UInt64(index + 1)))
        }
        return batch
    }

    /// The first life of a member.
    func life(_ name: String, _ life: String = "1") -> ClusterPresence {
        ClusterPresence(name: name, life: life)
    }

    /// Makes a member the owner of a partition; gives the epoch.
    func own(_ engine: any ClusterEngine, _ partition: Int, by member: String, after epoch: Int = 0)
        throws
        -> Int
    {
        _ = try engine.renew(life(member), for: .seconds(60))
        guard case .granted(let epoch, _, _, _) = try engine.acquire(partition, for: member, after: epoch)
        else {
            throw ClusterFailure.refused("not granted")
        }
        return epoch
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `actions of a partition are read in the order in which they came`(kind: EngineServer.Kind) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        try engine.append(batch((0..<500).map { ($0 % 2, Array("\($0)".utf8)) }))
        let read = try entries(engine, 1, atMost: 1_000)
        let texts = read.map { (shown: Shown) -> String in String(decoding: shown.action, as: UTF8.self) }
        #expect(texts == stride(from: 1, to: 500, by: 2).map { (number: Int) -> String in "\(number)" })
        #expect(read.map(\.origin?.sequence) == stride(from: 2, through: 500, by: 2).map { $0 })
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `reading goes on after an offset, and takes no more than was asked for`(kind: EngineServer.Kind)
        throws
    {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        try engine.append(batch((0..<10).map { (2, [UInt8($0)]) }))
        let first = try entries(engine, 2, atMost: 4)
        #expect(first.map(\.action) == [[0], [1], [2], [3]])
        let rest = try entries(engine, 2, after: #require(first.last?.offset))
        #expect(rest.map(\.action) == [[4], [5], [6], [7], [8], [9]])
        #expect(try entries(engine, 2, after: #require(rest.last?.offset)) == [])
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `several partitions are read at once, each from its own offset`(kind: EngineServer.Kind) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        try engine.append(batch([(0, [1]), (1, [2]), (0, [3])]))
        let offset = try #require(try entries(engine, 0).first?.offset)
        let read = try entries(engine, [(0, offset), (1, .start), (2, .start)], atMost: 10)
        #expect(read.mapValues { $0.map(\.action) } == [0: [[3]], 1: [[2]]])
    }

    @Test(arguments: EngineServer.Kind.allCases) func `any bytes are kept as they are`(
        kind: EngineServer.Kind
    ) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        let all = Array(UInt8.min...UInt8.max)
        try engine.append(batch([(0, all), (0, [])]))
        #expect(try entries(engine, 0).map(\.action) == [all, []])
    }

    @Test(arguments: EngineServer.Kind.lasting) func `clusters of different names do not see each other`(
        kind: EngineServer.Kind
    ) throws {
        let server = try EngineServer(kind)
        try server.engine("one").append(batch([(0, [1])]))
        #expect(try entries(try server.engine("two"), 0) == [])
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `a partition is given to a member that lives, and to no other while it does`(kind: EngineServer.Kind)
        throws
    {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        #expect(try engine.acquire(3, for: "a", after: 0) == .refused(.init(owner: nil, epoch: 0)))
        #expect(try own(engine, 3, by: "a") == 1)
        _ = try engine.renew(life("b"), for: .seconds(60))
        #expect(try engine.acquire(3, for: "b", after: 1) == .refused(.init(owner: "a", epoch: 1)))
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `a wish that knows an old epoch is refused, also the owner's own`(kind: EngineServer.Kind) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        #expect(try own(engine, 3, by: "a") == 1)
        #expect(try engine.acquire(3, for: "a", after: 0) == .refused(.init(owner: "a", epoch: 1)))
        #expect(
            try engine.acquire(3, for: "a", after: 1)
                == .granted(epoch: 2, offset: .start, slices: [:], attempts: 2))
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `a partition goes to another member when the lease of its owner has run out`(kind: EngineServer.Kind)
        throws
    {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        _ = try engine.renew(life("a"), for: .seconds(60))
        _ = try engine.acquire(0, for: "a", after: 0)
        _ = try engine.renew(life("a"), for: .milliseconds(1))
        _ = try engine.renew(life("b"), for: .seconds(60))
        var granted = false
        while !granted {
            if case .granted(2, _, _, _) = try engine.acquire(0, for: "b", after: 1) { granted = true }
        }
        #expect(try engine.renew(life("b"), for: .seconds(60)).live == ["b"])
    }

    @Test(arguments: EngineServer.Kind.allCases) func `the roll tells who lives and who owns what`(
        kind: EngineServer.Kind
    ) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        _ = try own(engine, 1, by: "a")
        _ = try own(engine, 2, by: "b")
        let roll = try engine.renew(life("a"), for: .seconds(60))
        #expect(roll.live == ["a", "b"])
        #expect(roll.titles == [.init(), .init(owner: "a", epoch: 1), .init(owner: "b", epoch: 1), .init()])
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `a partition is given back by its owner only, and keeps its epoch`(kind: EngineServer.Kind) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        _ = try own(engine, 0, by: "a")
        try engine.release(0, of: "b", epoch: 1)
        try engine.release(0, of: "a", epoch: 0)
        #expect(try engine.renew(life("a"), for: .seconds(60)).titles[0] == .init(owner: "a", epoch: 1))
        try engine.release(0, of: "a", epoch: 1)
        #expect(try engine.renew(life("a"), for: .seconds(60)).titles[0] == .init(owner: nil, epoch: 1))
        #expect(try own(engine, 0, by: "b", after: 1) == 2)
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `state, offset and outputs move together, and whoever comes next goes on from there`(
        kind: EngineServer.Kind
    ) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        let epoch = try own(engine, 0, by: "a")
        try engine.append(batch([(0, [1])]))
        let offset = try #require(try entries(engine, 0).last?.offset)
        let checkpoint = ClusterCheckpoint(
            partition: 0, member: "a", epoch: epoch, offset: offset, slices: ["eu": [7, 0], "us": []],
            outputs: [
                .init(partition: 1, origin: .init(source: "0", epoch: 1, sequence: 1), action: [8]),
                .init(partition: 2, origin: .init(source: "0", epoch: 1, sequence: 2), action: [9]),
            ])
        #expect(try engine.checkpoint(checkpoint) == nil)
        // A slice that did not change is not sent again.
        #expect(
            try engine.checkpoint(
                ClusterCheckpoint(
                    partition: 0, member: "a", epoch: epoch, offset: offset, slices: ["eu": [5]])) == nil)
        #expect(
            try engine.acquire(0, for: "a", after: epoch)
                == .granted(epoch: epoch + 1, offset: offset, slices: ["eu": [5], "us": []], attempts: 1))
        #expect(try entries(engine, 1).map(\.action) == [[8]])
        #expect(try entries(engine, 2).map(\.origin) == [.init(source: "0", epoch: 1, sequence: 2)])
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func
        `a checkpoint that is written again or arrives late changes nothing, until the partition is acquired anew`(
            kind: EngineServer.Kind
        )
        throws
    {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        var epoch = try own(engine, 0, by: "a")
        func checkpoint(_ number: Int, _ state: UInt8) -> ClusterCheckpoint {
            ClusterCheckpoint(
                partition: 0, member: "a", epoch: epoch, offset: .start, slices: ["eu": [state]],
                outputs: [
                    .init(
                        partition: 1,
                        origin: ClusterOrigin(source: "0", epoch: epoch, sequence: UInt64(number)),
                        action: [state])
                ], number: number)
        }
        #expect(try engine.checkpoint(checkpoint(1, 1)) == nil)
        #expect(try engine.checkpoint(checkpoint(2, 2)) == nil)
        #expect(try engine.checkpoint(checkpoint(2, 2)) == nil)
        #expect(throws: ClusterFailure.self) { try engine.checkpoint(checkpoint(1, 1)) }
        #expect(try entries(engine, 1).map(\.action) == [[1], [2]])
        epoch = try own(engine, 0, by: "a", after: epoch)
        #expect(try engine.checkpoint(checkpoint(1, 3)) == nil)
        guard case .granted(_, _, let slices, _) = try engine.acquire(0, for: "a", after: epoch) else {
            throw ClusterFailure.refused("not granted")
        }
        #expect(slices == ["eu": [3]])
    }

    @Test(arguments: EngineServer.Kind.allCases) func `nothing of a checkpoint under an old epoch is written`(
        kind: EngineServer.Kind
    ) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        let old = try own(engine, 0, by: "a")
        let new = try own(engine, 0, by: "a", after: old)
        let checkpoint = ClusterCheckpoint(
            partition: 0, member: "a", epoch: old, offset: ClusterOffset(9, 9), slices: ["eu": [1]],
            outputs: [.init(partition: 1, origin: .init(source: "0", epoch: 1, sequence: 1), action: [8])])
        #expect(try engine.checkpoint(checkpoint) == .init(owner: "a", epoch: new))
        #expect(
            try engine.acquire(0, for: "a", after: new)
                == .granted(epoch: new + 1, offset: .start, slices: [:], attempts: 3))
        #expect(try entries(engine, 1) == [])
    }

    @Test func `an engine that is full says so, and keeps what it has`() throws {
        let server = try RedisServer("--maxmemory", "4mb", "--maxmemory-policy", "noeviction")
        let engine = try server.engine()
        try engine.append(batch([(0, [1])]))
        var refusal: ClusterFailure?
        for _ in 0..<100 where refusal == nil {
            do throws(ClusterFailure) {
                try engine.append(batch([(1, Array(repeating: 0, count: 100_000))]))
            } catch {
                refusal = error
            }
        }
        #expect(refusal == .full("OOM command not allowed when used memory > 'maxmemory'."))
        #expect(try entries(engine, 0).map(\.action) == [[1]])
    }

    @Test func `a server that ends is told as lost`() throws {
        let server = try RedisServer()
        let engine = try server.engine()
        try server.kill()
        #expect(throws: ClusterFailure.self) { try engine.append(batch([(0, [1])])) }
        #expect(throws: ClusterFailure.lost("No such file or directory")) {
            _ = try RedisCluster(.unix(path: server.folder("none.sock")), name: "shop", partitions: 4)
                .connect()
        }
    }
}
