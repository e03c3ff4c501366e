// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseCluster

/// What holds of members, and what operators ask of them.
extension EngineConformanceTests {
    /// A process as the others see it.
    private func presence(_ name: String, _ life: String) -> ClusterPresence {
        ClusterPresence(
            name: name, life: life, digest: "d\(life)", version: "1.2.0 (test)", process: 4711,
            started: 1_700_000_000.25)
    }

    @Test(arguments: EngineServer.Kind.lasting)
    func `nothing is appended to a cluster that nobody has joined`(kind: EngineServer.Kind) throws {
        let server = try EngineServer(kind)
        let engine = try server.cluster().connect()
        #expect(
            throws: ClusterFailure.refused(
                "there is no cluster 'shop' at \(server.address): no member has joined it yet")
        ) {
            try engine.append(batch([(0, [1])]))
        }
    }

    @Test(arguments: EngineServer.Kind.lasting) func `a cluster keeps its number of partitions`(
        kind: EngineServer.Kind
    ) throws {
        let server = try EngineServer(kind)
        _ = try server.engine(partitions: 4)
        let other = try server.cluster(partitions: 8).connect()
        let refusal = ClusterFailure.refused(
            "the cluster 'shop' at \(server.address) has 4 partitions, not 8; write 4 in plugins.json, or change the cluster with gatehouse cluster resize 8"
        )
        #expect(throws: refusal) { try other.join(life("b")) }
        #expect(throws: refusal) { try other.renew(life("b"), for: .seconds(1)) }
        #expect(throws: refusal) { try other.append(batch([(0, [1])])) }
        #expect(try entries(other, 0) == [])
    }

    @Test(arguments: EngineServer.Kind.lasting)
    func `a process that joins under a name supersedes the one before, which is told`(kind: EngineServer.Kind)
        throws
    {
        let server = try EngineServer(kind)
        let old = try server.cluster().connect()
        let new = try server.cluster().connect()
        try old.join(presence("a", "one"))
        _ = try old.renew(presence("a", "one"), for: .seconds(60))
        guard case .granted(1, _, _, _) = try old.acquire(0, for: "a", after: 0) else {
            throw ClusterFailure.refused("not granted")
        }
        try new.join(presence("a", "two"))
        let superseded = ClusterFailure.superseded("process 4711, life two")
        #expect(throws: superseded) { try old.renew(presence("a", "one"), for: .seconds(60)) }
        #expect(throws: superseded) { try old.acquire(1, for: "a", after: 0) }
        // What it does not know yet ends when the new one acquires.
        let written = ClusterCheckpoint(partition: 0, member: "a", epoch: 1, offset: .init(1, 0))
        #expect(try old.checkpoint(written) == nil)
        _ = try new.renew(presence("a", "two"), for: .seconds(60))
        #expect(
            try new.acquire(0, for: "a", after: 1)
                == .granted(epoch: 2, offset: .init(1, 0), slices: [:], attempts: 1))
        #expect(try old.checkpoint(written) == .init(owner: "a", epoch: 2))
        // It is too late to take the name along.
        try old.leave(presence("a", "one"))
        #expect(try new.renew(presence("a", "two"), for: .seconds(60)).live == ["a"])
    }

    @Test(arguments: EngineServer.Kind.allCases) func `a member that leaves is not there any more`(
        kind: EngineServer.Kind
    ) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        _ = try engine.renew(presence("a", "one"), for: .seconds(60))
        _ = try engine.renew(presence("b", "one"), for: .seconds(60))
        #expect(try engine.takeTurn(for: "a", .seconds(60)))
        try engine.leave(presence("a", "one"))
        #expect(try engine.renew(presence("b", "one"), for: .seconds(60)).live == ["b"])
        #expect(try engine.survey().members.map(\.presence.name) == ["b", "first"])
        #expect(try engine.takeTurn(for: "b", .seconds(60)))
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `the roll tells who drains, what plugins members have, and whether they shall reload`(
        kind: EngineServer.Kind
    ) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        _ = try engine.renew(presence("a", "one"), for: .seconds(60))
        try engine.drain("a", true)
        try engine.drain("absent", true)
        #expect(try engine.requestReload() == 1)
        #expect(try engine.requestReload() == 2)
        var roll = try engine.renew(presence("b", "two"), for: .seconds(60))
        #expect(roll.draining == ["a", "absent"])
        #expect(roll.digests == ["a": "done", "b": "dtwo"])
        #expect(roll.reload == 2)
        try engine.drain("a", false)
        var changed = presence("b", "two")
        changed.digest = ""
        roll = try engine.renew(changed, for: .seconds(60))
        #expect(roll.draining == ["absent"])
        #expect(roll.digests == ["a": "done", "b": ""])
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `one member has the turn, until it gives it back or its time is over`(kind: EngineServer.Kind) throws
    {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        #expect(try engine.takeTurn(for: "a", .seconds(60)))
        #expect(try engine.takeTurn(for: "a", .seconds(60)))
        #expect(try !engine.takeTurn(for: "b", .seconds(60)))
        try engine.endTurn(of: "b")
        #expect(try !engine.takeTurn(for: "b", .seconds(60)))
        try engine.endTurn(of: "a")
        #expect(try engine.takeTurn(for: "b", .milliseconds(1)))
        while try !engine.takeTurn(for: "a", .seconds(60)) {}
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `a survey tells members, owners, what waits and what is dead`(kind: EngineServer.Kind) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine()
        let epoch = try own(engine, 1, by: "a")
        _ = try engine.renew(presence("b", "two"), for: .milliseconds(1))
        try engine.drain("b", true)
        try engine.append(batch((0..<10).map { (1, [UInt8($0)]) }))
        let offset = try entries(engine, 1)[3].offset
        #expect(
            try engine.checkpoint(
                ClusterCheckpoint(partition: 1, member: "a", epoch: epoch, offset: offset, processed: 4))
                == nil)
        let survey = try engine.survey()
        #expect(survey.members.map(\.presence) == [life("a"), presence("b", "two"), life("first")])
        #expect(survey.members.map(\.isDraining) == [false, true, false])
        #expect(survey.members[0].leaseLeft > .seconds(1))
        #expect(survey.members[1].leaseLeft <= .milliseconds(1))
        #expect(survey.partitions[1].title == .init(owner: "a", epoch: 1))
        #expect(survey.partitions[1].offset == offset)
        #expect(survey.partitions.map(\.lag) == [0, 6, 0, 0])
        #expect(survey.partitions.map { $0.waiting != nil } == [false, true, false, false])
        #expect(survey.partitions.map { $0.checkpointAge != nil } == [false, true, false, false])
        #expect(survey.time > 1_700_000_000)
        #expect(survey.dead == 0)
    }

    @Test func `what an operator takes out of a partition does not wait`() throws {
        let server = try RedisServer()
        let engine = try server.engine()
        try engine.append(batch((0..<10).map { (1, [UInt8($0)]) }))
        try server.call("XTRIM", "{gatehouse:shop}:in:1", "MAXLEN", "=", "0")
        #expect(try engine.survey().partitions[1].lag == 0)
    }

    @Test(arguments: EngineServer.Kind.allCases)
    func `a cluster of thousands of partitions is surveyed in one go`(kind: EngineServer.Kind) throws {
        let server = try EngineServer(kind)
        let engine = try server.engine(partitions: 4_096)
        try engine.append(batch((0..<4_096).map { ($0, [1]) }))
        #expect(try engine.survey().partitions.map(\.lag) == Array(repeating: 1, count: 4_096))
    }
}
