// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseCluster

/// What holds of partitions that move on.
extension EngineConformanceTests {
    /// A checkpoint of partition 0 by member `a`.
    private func checkpoint(
        _ epoch: Int, _ offset: ClusterOffset, slices: [String: [UInt8]] = [:], gone: [String] = [],
        processed: Int = 0
    ) -> ClusterCheckpoint {
        ClusterCheckpoint(
            partition: 0, member: "a", epoch: epoch, offset: offset, slices: slices, gone: gone,
            processed: processed)
    }

    /// What partition 0 has when member `a` acquires it anew.
    private func load(_ engine: any ClusterEngine, after epoch: Int) throws -> ClusterAcquisition {
        try engine.acquire(0, for: "a", after: epoch)
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `a checkpoint that is repeated leaves what was there, and its outputs with the same origin`(
        kind: EngineServer.Kind
    )
        throws
    {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        let epoch = try own(engine, 0, by: "a")
        try engine.append(batch([(0, [1]), (0, [2])]))
        let offset = try #require(try entries(engine, 0).last?.offset)
        var written = checkpoint(epoch, offset, slices: ["eu": [7]], processed: 2)
        let origin = ClusterOrigin(source: "0", epoch: epoch, sequence: 1)
        written.outputs = [.init(partition: 3, origin: origin, action: [8])]
        #expect(try engine.checkpoint(written) == nil)
        #expect(try engine.checkpoint(written) == nil)
        #expect(try entries(engine, 3).map(\.origin) == [origin, origin])
        #expect(try engine.survey().partitions[0].lag == 0)
        try engine.append(batch([(0, [3])]))
        #expect(try engine.survey().partitions[0].lag == 1)
        #expect(
            try load(engine, after: epoch)
                == .granted(epoch: epoch + 1, offset: offset, slices: ["eu": [7]], attempts: 1))
    }

    @Test(arguments: EngineServer.Kind.allCases, [Duration.zero, .seconds(3_600)])
    func `what checkpoints have processed stays for as long as it is to stay, or goes after the next one`(
        kind: EngineServer.Kind, history: Duration
    ) throws {
        let server = try EngineServer(kind)
        let engine = try server.cluster(history: history).connect()
        try engine.join(ClusterPresence(name: "first", life: "1"))
        let epoch = try own(engine, 0, by: "a")
        for number in 1...4 {
            var batch = ClusterBatch()
            batch.add([UInt8(number)], to: 0, from: ClusterOrigin(source: "in", sequence: UInt64(number)))
            try engine.append(batch)
        }
        for offset in try entries(engine, 0).dropLast().map(\.offset) {
            #expect(try engine.checkpoint(checkpoint(epoch, offset, processed: 1)) == nil)
        }
        #expect(try engine.actions(of: 0) == (history > .zero ? [[1], [2], [3], [4]] : [[2], [3], [4]]))
        #expect(try engine.survey().partitions[0].lag == 1)
    }

    /// The milliseconds since 1970.
    private var now: UInt64 { UInt64(LocalStore.now) }

    @Test(arguments: EngineServer.Kind.lasting)
    func `a history keeps one checkpoint from before it, and others half of it apart`(kind: EngineServer.Kind)
        throws
    {
        let server = try EngineServer(kind)
        let engine = try server.cluster(history: .seconds(3_600)).connect()
        try engine.join(ClusterPresence(name: "first", life: "1"))
        let epoch = try own(engine, 0, by: "a")
        let maintainer = try server.maintainer()
        #expect(try maintainer.earlierCheckpoints(of: 0) == [])
        let now = now
        /// So many seconds ago.
        func ago(_ seconds: UInt64, place: UInt16 = ClusterOffset.whole) -> ClusterOffset {
            ClusterOffset(now - seconds * 1_000, 0, place: place)
        }
        let steps: [(offset: ClusterOffset, earlier: [ClusterOffset])] = [
            (ago(5_000, place: 3), [.start]), (ago(4_000), [ago(5_000, place: 3)]),
            (ago(3_500), [ago(5_000, place: 3)]), (ago(1_600), [ago(5_000, place: 3)]),
            (ago(1_000), [ago(5_000, place: 3), ago(1_600)]), (ago(10), [ago(5_000, place: 3), ago(1_600)]),
        ]
        for (number, step) in steps.enumerated() {
            let written = checkpoint(
                epoch, step.offset, slices: ["eu": [UInt8(number)], "s\(number)": []],
                gone: ["s\(number - 1)"])
            #expect(try engine.checkpoint(written) == nil)
            #expect(try maintainer.earlierCheckpoints(of: 0) == step.earlier, "\(number)")
        }
        #expect(
            try maintainer.earlierCheckpoint(of: 0, at: ago(5_000, place: 3)) == ["eu": [0], "s0": []])
        #expect(try maintainer.earlierCheckpoint(of: 0, at: ago(1_600)) == ["eu": [3], "s3": []])
        #expect(try maintainer.earlierCheckpoint(of: 0, at: ago(4_000)) == nil)
        #expect(try maintainer.earlierCheckpoint(of: 1, at: ago(1_600)) == nil)
        #expect(try maintainer.checkpoint(of: 0).slices == ["eu": [5], "s5": []])
        #expect(try maintainer.earlierCheckpoints(of: 1) == [])

        // Without a history they go, with all that they had.
        let later = try server.cluster().connect()
        try later.join(ClusterPresence(name: "second", life: "1"))
        let next = try own(later, 0, by: "a", after: epoch)
        #expect(try later.checkpoint(checkpoint(next, ago(5))) == nil)
        #expect(try maintainer.earlierCheckpoints(of: 0) == [])
        #expect(try maintainer.earlierCheckpoint(of: 0, at: ago(1_600)) == nil)
    }

    @Test(arguments: EngineServer.Kind.lasting)
    func `no action goes that follows an earlier checkpoint`(kind: EngineServer.Kind) throws {
        let server = try EngineServer(kind)
        // All that is not held by the earlier checkpoint is too old at once.
        let engine = try server.cluster(history: .milliseconds(1)).connect()
        try engine.join(ClusterPresence(name: "first", life: "1"))
        let epoch = try own(engine, 0, by: "a")
        let maintainer = try server.maintainer()
        var offsets: [ClusterOffset] = []
        for number in 1...5 {
            try engine.append(batch([(0, [UInt8(number)])]))
            let offset = try #require(try entries(engine, 0).last?.offset)
            #expect(try engine.checkpoint(checkpoint(epoch, offset, processed: 1)) == nil)
            offsets.append(offset)
            let earlier = try #require(try maintainer.earlierCheckpoints(of: 0).first)
            let after = offsets.filter { earlier < $0 }
            #expect(try entries(engine, 0, after: earlier).map(\.offset) == after)
        }
        #expect(offsets.count == 5)
    }

    @Test(arguments: EngineServer.Kind.lasting)
    func `a resize leaves no earlier checkpoints`(kind: EngineServer.Kind) throws {
        let server = try EngineServer(kind)
        let engine = try server.cluster(history: .seconds(3_600)).connect()
        try engine.join(ClusterPresence(name: "first", life: "1"))
        let epoch = try own(engine, 0, by: "a")
        #expect(try engine.checkpoint(checkpoint(epoch, .init(5, 0), slices: ["eu": [1]])) == nil)
        try engine.leave(life("a"))
        let maintainer = try server.maintainer()
        #expect(try maintainer.earlierCheckpoints(of: 0) == [.start])
        let shape = try #require(try maintainer.shape())
        #expect(try maintainer.beginResize(of: shape, to: 2) == [])
        try maintainer.write(["us": [2]], to: 0)
        try maintainer.finishResize(above: 5)
        #expect(try maintainer.earlierCheckpoints(of: 0) == [])
        #expect(try maintainer.earlierCheckpoint(of: 0, at: .start) == nil)
        #expect(try maintainer.checkpoint(of: 0).slices == ["us": [2]])
    }

    @Test
    func `of several checkpoints each is written by itself, also by a server that has forgotten its scripts`()
        throws
    {
        let server = try RedisServer()
        let engine = try server.engine()
        for partition in 0..<3 { _ = try own(engine, partition, by: "a") }
        try server.call("SCRIPT", "FLUSH")
        let written = (0..<4).map { partition in
            ClusterCheckpoint(
                partition: partition, member: "a", epoch: partition == 1 ? 7 : 1, offset: .init(5, 0),
                slices: ["eu": [UInt8(partition)]], number: 1)
        }
        let titles = try engine.checkpoint(written)
        #expect(titles == [nil, .init(owner: "a", epoch: 1), nil, .init()])
        let kept = try (0..<3).map { try engine.acquire($0, for: "a", after: 1) }
        #expect(
            kept == [
                .granted(epoch: 2, offset: .init(5, 0), slices: ["eu": [0]], attempts: 1),
                .granted(epoch: 2, offset: .start, slices: [:], attempts: 2),
                .granted(epoch: 2, offset: .init(5, 0), slices: ["eu": [2]], attempts: 1),
            ])
        #expect(try engine.checkpoint([]) == [])
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `one checkpoint that is refused keeps none of the others from being written`(kind: EngineServer.Kind)
        throws
    {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        for partition in 0..<3 { _ = try own(engine, partition, by: "a") }
        let first = (0..<3).map {
            ClusterCheckpoint(partition: $0, member: "a", epoch: 1, offset: .init(5, 0), number: 1)
        }
        #expect(try engine.checkpoint(first) == [nil, nil, nil])
        var next = first
        for index in next.indices {
            (next[index].number, next[index].offset) = (2, .init(index == 0 ? 4 : 6, 0))
        }
        #expect(throws: ClusterFailure.refused("a checkpoint at 5-0 is kept, which is later than this one")) {
            try engine.checkpoint(next)
        }
        #expect(try engine.survey().partitions.prefix(3).map(\.offset) == [5, 6, 6].map { .init($0, 0) })
    }

    @Test(arguments: EngineServer.Kind.allCases) func `a checkpoint never goes back`(kind: EngineServer.Kind)
        throws
    {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        let epoch = try own(engine, 0, by: "a")
        #expect(try engine.checkpoint(checkpoint(epoch, .init(100, 5), slices: ["eu": [1]])) == nil)
        for offset in [ClusterOffset(99, 9), ClusterOffset(100, 4)] {
            #expect(
                throws: ClusterFailure.refused("a checkpoint at 100-5 is kept, which is later than this one")
            ) {
                try engine.checkpoint(checkpoint(epoch, offset, slices: ["eu": [2]]))
            }
        }
        #expect(try engine.checkpoint(checkpoint(epoch, .init(100, 10))) == nil)
        #expect(
            try load(engine, after: epoch)
                == .granted(epoch: epoch + 1, offset: .init(100, 10), slices: ["eu": [1]], attempts: 1))
    }

    @Test(arguments: EngineServer.Kind.allCases) func `a slice that is gone is forgotten`(
        kind: EngineServer.Kind
    ) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        let epoch = try own(engine, 0, by: "a")
        #expect(try engine.checkpoint(checkpoint(epoch, .init(1, 0), slices: ["eu": [1], "us": [2]])) == nil)
        #expect(try engine.checkpoint(checkpoint(epoch, .init(2, 0), gone: ["eu", "none"])) == nil)
        #expect(
            try load(engine, after: epoch)
                == .granted(epoch: epoch + 1, offset: .init(2, 0), slices: ["us": [2]], attempts: 1))
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `actions before the older of the last two checkpoints are let go`(kind: EngineServer.Kind) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        let epoch = try own(engine, 0, by: "a")
        for number in 0..<300 { try engine.append(batch([(0, [UInt8(number % 256)])])) }
        let offsets = try entries(engine, 0, atMost: 300).map(\.offset)
        #expect(try engine.checkpoint(checkpoint(epoch, offsets[100])) == nil)
        #expect(try entries(engine, 0, atMost: 300).count == 300)
        #expect(try engine.checkpoint(checkpoint(epoch, offsets[200])) == nil)
        // Written again under the same offset: the older one is still that of before.
        #expect(try engine.checkpoint(checkpoint(epoch, offsets[200])) == nil)
        let kept = try entries(engine, 0, atMost: 300).map(\.offset)
        #expect(kept == Array(offsets[100...]))
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `dead letters are kept with the checkpoint that skips them, the newest last`(kind: EngineServer.Kind)
        throws
    {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        let epoch = try own(engine, 0, by: "a")
        var written = checkpoint(epoch, .init(9, 9))
        let letters = (1...3).map { (number: Int) -> ClusterDeadLetter in
            ClusterDeadLetter(
                partition: 0, offset: ClusterOffset(8, UInt64(number)),
                origin: number == 2 ? nil : ClusterOrigin(source: "in", sequence: UInt64(number)),
                action: [0, UInt8(number), 10, 255], reason: "It ends its host.", member: "a",
                time: 1_700_000_000.5)
        }
        written.dead = letters
        #expect(try engine.checkpoint(written) == nil)
        #expect(try engine.deadLetters(atMost: 10) == letters)
        #expect(try engine.deadLetters(atMost: 2) == Array(letters.suffix(2)))
        #expect(try engine.survey().dead == 3)
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `acquisitions are counted until a checkpoint, or until the partition is given back`(
        kind: EngineServer.Kind
    ) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        func attempts(after epoch: Int) throws -> Int? {
            guard case .granted(_, _, _, let attempts) = try load(engine, after: epoch) else { return nil }
            return attempts
        }
        #expect(try own(engine, 0, by: "a") == 1)
        #expect(try attempts(after: 1) == 2)
        #expect(try attempts(after: 2) == 3)
        #expect(try engine.checkpoint(checkpoint(3, .init(1, 0))) == nil)
        #expect(try attempts(after: 3) == 1)
        #expect(try attempts(after: 4) == 2)
        try engine.release(0, of: "a", epoch: 5)
        #expect(try attempts(after: 5) == 1)
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `tries of an action are counted over owners, until a checkpoint or another action`(
        kind: EngineServer.Kind
    ) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        #expect(try own(engine, 0, by: "a") == 1)
        #expect(try engine.attempt(0, at: .init(5, 0), of: "a", epoch: 1) == 1)
        #expect(try engine.attempt(0, at: .init(5, 0), of: "a", epoch: 1) == 2)
        _ = try load(engine, after: 1)
        #expect(try engine.attempt(0, at: .init(5, 0), of: "a", epoch: 1) == nil)
        #expect(try engine.attempt(0, at: .init(5, 0), of: "a", epoch: 2) == 3)
        #expect(try engine.attempt(0, at: .init(5, 1), of: "a", epoch: 2) == 1)
        #expect(try engine.checkpoint(checkpoint(2, .init(5, 0))) == nil)
        #expect(try engine.attempt(0, at: .init(5, 1), of: "a", epoch: 2) == 1)
    }
}
