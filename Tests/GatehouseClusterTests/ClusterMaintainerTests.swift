// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseCluster

/// What changes a cluster from outside; here in Redis, the real one.
@Suite(
    .enabled(if: RedisServer.isInstalled, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct ClusterMaintainerTests {
    private let member = ClusterPresence(name: "a", life: "1")

    /// A maintainer of the cluster `shop` on a server.
    private func maintainer(_ server: RedisServer) throws -> RedisMaintainer {
        try RedisMaintainer(server.access, name: "shop", patience: .seconds(5))
    }

    /// The shape of a cluster that there is.
    private func shape(_ maintainer: RedisMaintainer) throws -> ClusterShape {
        try #require(try maintainer.shape())
    }

    /// An action for a partition.
    private func batch(_ partition: Int, _ action: [UInt8]) -> ClusterBatch {
        var batch = ClusterBatch()
        batch.add(
            action, to: partition, from: ClusterOrigin(source: "in", sequence: UInt64(action.first ?? 0)))
        return batch
    }

    /// Actions as a resize moves them.
    private func moved(_ actions: [(partition: Int, action: [UInt8])]) -> ClusterBatch {
        var batch = ClusterBatch()
        for (index, (partition, action)) in actions.enumerated() {
            batch.add(
                action, to: partition, from: ClusterOrigin(source: "resize", sequence: UInt64(index) + 1))
        }
        return batch
    }

    /// Makes the member the owner of a partition and writes a checkpoint; gives the epoch.
    @discardableResult
    private func own(_ engine: any ClusterEngine, _ partition: Int, dead: [ClusterDeadLetter] = []) throws
        -> Int
    {
        try engine.join(member)
        let roll = try engine.renew(member, for: .seconds(60))
        let known = roll.titles[partition].epoch
        guard case .granted(let epoch, _, _, _) = try engine.acquire(partition, for: "a", after: known) else {
            throw ClusterFailure.refused("not granted")
        }
        let checkpoint = ClusterCheckpoint(
            partition: partition, member: "a", epoch: epoch, offset: .start, slices: ["x": [7]], dead: dead)
        #expect(try engine.checkpoint(checkpoint) == nil)
        return epoch
    }

    /// A letter whose action stood in a partition.
    private func letter(_ number: UInt64, _ action: [UInt8] = [1]) -> ClusterDeadLetter {
        ClusterDeadLetter(
            partition: 2, offset: ClusterOffset(5, number), origin: nil, action: action,
            reason: "it ends its host",
            member: "a", time: 12)
    }

    // MARK: - Another number of partitions

    @Test func `a cluster that nobody has joined has no shape`() throws {
        let server = try RedisServer()
        #expect(try maintainer(server).shape() == nil)
        _ = try server.engine()
        #expect(try maintainer(server).shape()?.partitions == 4)
    }

    @Test func `while a member lives nothing is begun, and it is named`() throws {
        let server = try RedisServer()
        let engine = try server.engine()
        let epoch = try own(engine, 0)
        let maintainer = try maintainer(server)
        #expect(try maintainer.beginResize(of: try shape(maintainer), to: 2) == ["a"])
        #expect(try maintainer.shape()?.resizing == nil)
        #expect(try engine.renew(member, for: .seconds(60)).titles[0] == .init(owner: "a", epoch: epoch))
    }

    @Test func `the new shape takes the place of the old one at once, with all that was written for it`()
        throws
    {
        let server = try RedisServer()
        let engine = try server.engine()
        let epoch = try own(engine, 3)
        try engine.append(batch(3, [1]))
        try engine.leave(member)
        let maintainer = try maintainer(server)
        #expect(try maintainer.beginResize(of: try shape(maintainer), to: 2) == [])
        #expect(try maintainer.checkpoint(of: 3).slices == ["x": [7]])
        #expect(try maintainer.checkpoint(of: 0).slices == [:])
        try maintainer.write(["y": [8]], to: 1)
        try maintainer.append(moved([(0, [1]), (1, [2]), (0, [3])]))
        #expect(try engine.actions(of: 3) == [[1]])
        try maintainer.finishResize(above: 0)
        #expect(try maintainer.shape()?.partitions == 2)
        let new = try server.engine(partitions: 2)
        #expect(try new.actions(of: 0) == [[1], [3]])
        #expect(try new.actions(of: 1) == [[2]])
        try new.join(member)
        let roll = try new.renew(member, for: .seconds(60))
        #expect(roll.titles.allSatisfy { $0.owner == nil && $0.epoch > epoch })
        guard
            case .granted(_, .start, let slices, _) = try new.acquire(
                1, for: "a", after: roll.titles[1].epoch)
        else { throw ClusterFailure.refused("not granted") }
        #expect(slices == ["y": [8]])
        // Nothing is left of the old shape, nor of what was written beside it.
        #expect(try server.call("KEYS", "*:in:3") == "")
        #expect(try server.call("KEYS", "*:state:3") == "")
        #expect(try server.call("KEYS", "*:new:*") == "")
        #expect(try new.survey().partitions.map(\.lag) == [2, 1])
    }

    @Test
    func `from the beginning of a resize to its end nobody joins, and nothing is written by the old shape`()
        throws
    {
        let server = try RedisServer()
        let engine = try server.engine()
        let epoch = try own(engine, 0)
        _ = try engine.renew(member, for: .milliseconds(1))
        let maintainer = try maintainer(server)
        // A lease may still run when the next command comes.
        while try !maintainer.beginResize(of: try shape(maintainer), to: 8).isEmpty {}
        let refusal = ClusterFailure.refused(
            "the cluster 'shop' at \(server.address) is being resized from 4 to 8 partitions; wait for that, or, if it was interrupted, start it over with gatehouse cluster resize"
        )
        #expect(throws: refusal) { try engine.join(member) }
        #expect(throws: refusal) { try engine.append(batch(0, [1])) }
        #expect(throws: refusal) { _ = try engine.renew(member, for: .seconds(60)) }
        let late = ClusterCheckpoint(
            partition: 0, member: "a", epoch: epoch, offset: .start, slices: ["x": [9]])
        #expect(try engine.checkpoint(late) == .init(owner: nil, epoch: epoch + 1))
        try maintainer.finishResize(above: 0)
        let other = ClusterFailure.refused(
            "the cluster 'shop' at \(server.address) has 8 partitions, not 4; write 8 in plugins.json, or change the cluster with gatehouse cluster resize 4"
        )
        #expect(throws: other) { try engine.append(batch(0, [1])) }
        #expect(throws: other) { try engine.join(member) }
        #expect(try engine.checkpoint(late) != nil)
    }

    @Test func `actions of a partition share an entry, in their order and with their numbers`() throws {
        let server = try RedisServer()
        _ = try server.engine()
        let maintainer = try maintainer(server)
        #expect(try maintainer.beginResize(of: try shape(maintainer), to: 2) == [])
        try maintainer.append(moved((0..<300).map { ($0 % 2, [UInt8($0 / 2)]) }))
        try maintainer.append(moved([(1, [7])]))
        try maintainer.finishResize(above: 0)
        let engine = try server.engine(partitions: 2)
        #expect(try server.call("XLEN", "{gatehouse:shop}:in:0") == "1")
        #expect(try server.call("XLEN", "{gatehouse:shop}:in:1") == "2")
        #expect(try engine.actions(of: 0) == (0..<150).map { [UInt8($0)] })
        var origins: [ClusterOrigin?] = []
        try engine.read([(0, .start)], atMost: 1_000, waiting: .zero) { origins.append($1.origin) }
        #expect(
            origins
                == (0..<150).map { ClusterOrigin(source: "resize", sequence: 2 * UInt64($0) + 1) })
        #expect(try engine.survey().partitions.map(\.lag) == [150, 151])
    }

    // MARK: - Forms

    @Test func `a cluster in a newer form is refused to members and commands, which are told both`() throws {
        let server = try RedisServer()
        let engine = try server.engine()
        try engine.join(member)
        #expect(try server.call("GET", "{gatehouse:shop}:shape") == "4/2")
        try server.call("SET", "{gatehouse:shop}:shape", "4/3")
        let refusal = ClusterFailure.refused(
            "the cluster 'shop' at \(server.address) is written in form 3 by a newer version of Gatehouse, and this one knows forms up to 2; run the newer version here too"
        )
        #expect(throws: refusal) { try engine.join(member) }
        // Also one that has joined before.
        #expect(throws: refusal) { try engine.append(batch(0, [1])) }
        #expect(throws: refusal) { _ = try engine.renew(member, for: .seconds(60)) }
        #expect(throws: refusal) { _ = try maintainer(server).shape() }
    }

    @Test func `a cluster in an older form is refused to members, until a resize has written it anew`() throws
    {
        let server = try RedisServer()
        let engine = try server.engine()
        try engine.append(batch(2, [1]))
        try server.call("SET", "{gatehouse:shop}:shape", "4")
        let refusal = ClusterFailure.refused(
            "the cluster 'shop' at \(server.address) is written in form 0 by an older version of Gatehouse, and this one writes form 2; stop all members, and rewrite it with gatehouse cluster resize 4"
        )
        #expect(throws: refusal) { try engine.join(member) }
        #expect(throws: refusal) { _ = try engine.renew(member, for: .seconds(60)) }
        let maintainer = try maintainer(server)
        #expect(try shape(maintainer).isOld)
        #expect(try maintainer.beginResize(of: try shape(maintainer), to: 4) == [])
        try maintainer.abandonResize()
        // The older version may go on with it.
        #expect(try server.call("GET", "{gatehouse:shop}:shape") == "4")
        #expect(try maintainer.beginResize(of: try shape(maintainer), to: 4) == [])
        try maintainer.append(moved([(2, [1])]))
        try maintainer.finishResize(above: 0)
        #expect(try !shape(maintainer).isOld)
        try engine.join(member)
        #expect(try engine.actions(of: 2) == [[1]])
    }

    // MARK: - Resizes that come to nothing

    @Test func `a resize that is given up leaves the cluster as it was`() throws {
        let server = try RedisServer()
        let engine = try server.engine()
        try own(engine, 0)
        try engine.append(batch(0, [1]))
        try engine.leave(member)
        let maintainer = try maintainer(server)
        #expect(try maintainer.beginResize(of: try shape(maintainer), to: 2) == [])
        try maintainer.write(["y": [8]], to: 1)
        try maintainer.append(moved([(0, [4])]))
        try maintainer.abandonResize()
        #expect(try maintainer.shape()?.partitions == 4)
        #expect(try server.call("KEYS", "*:new:*") == "")
        #expect(try engine.actions(of: 0) == [[1]])
        try own(engine, 0)
    }

    @Test func `one that was ended in the middle is begun anew by the next, and cannot end any more`() throws
    {
        let server = try RedisServer()
        _ = try server.engine()
        let killed = try maintainer(server)
        #expect(try killed.beginResize(of: try shape(killed), to: 2) == [])
        try killed.write(["y": [8]], to: 1)
        try killed.append(moved([(0, [4])]))
        let next = try maintainer(server)
        let found = try shape(next)
        #expect(found.partitions == 4)
        #expect(found.resizing == 2)
        #expect(try next.beginResize(of: found, to: 3) == [])
        #expect(try server.call("KEYS", "*:new:*") == "")
        try next.append(moved([(2, [5])]))
        #expect(
            throws: ClusterFailure.refused(
                "another resize was started meanwhile; this one changed nothing")
        ) {
            try killed.finishResize(above: 0)
        }
        try next.finishResize(above: 0)
        #expect(try server.engine(partitions: 3).actions(of: 2) == [[5]])
    }

    @Test func `what a resize has written and may not remove keeps it under way, until the next removes it`()
        throws
    {
        let server = try RedisServer()
        _ = try server.engine()
        let given = try maintainer(server)
        #expect(try given.beginResize(of: try shape(given), to: 1) == [])
        try given.write(["y": [8]], to: 0)
        // It may do all but remove what it wrote last.
        for rule in ["resetkeys", "~{gatehouse:shop}:shape", "~*:added"] {
            try server.call("ACL", "SETUSER", "default", rule)
        }
        #expect(throws: ClusterFailure.self) { try given.abandonResize() }
        try server.call("ACL", "SETUSER", "default", "allkeys")
        let next = try maintainer(server)
        let found = try shape(next)
        #expect(found.resizing == 1)
        #expect(try next.beginResize(of: found, to: 2) == [])
        #expect(try server.call("KEYS", "*:new:*") == "")
        try next.abandonResize()
        #expect(try shape(next).resizing == nil)
    }

    @Test func `of two that begin at once one is refused`() throws {
        let server = try RedisServer()
        _ = try server.engine()
        let (one, other) = (try maintainer(server), try maintainer(server))
        let found = try shape(one)
        #expect(try one.beginResize(of: found, to: 2) == [])
        #expect(
            throws: ClusterFailure.refused(
                "another resize was started meanwhile; this one changed nothing")
        ) {
            _ = try other.beginResize(of: found, to: 3)
        }
    }

    @Test func `a server without room for both shapes says so, and goes on with the old one`() throws {
        let server = try RedisServer("--maxmemory", "5mb", "--maxmemory-policy", "noeviction")
        let engine = try server.engine()
        try engine.append(batch(0, [1]))
        let maintainer = try maintainer(server)
        #expect(try maintainer.beginResize(of: try shape(maintainer), to: 2) == [])
        var failure: ClusterFailure?
        for _ in 0..<100 where failure == nil {
            do throws(ClusterFailure) {
                try maintainer.append(moved([(1, Array(repeating: 0, count: 100_000)), (0, [2])]))
            } catch {
                failure = error
            }
        }
        guard case .full = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        try maintainer.abandonResize()
        #expect(try engine.actions(of: 0) == [[1]])
        try engine.append(batch(0, [2]))
    }

    // MARK: - Dead letters

    @Test func `the action of a dead letter is put after the others, and the letter goes with it`() throws {
        let server = try RedisServer()
        let engine = try server.engine()
        try own(engine, 2, dead: [letter(1, [4, 5]), letter(2)])
        try engine.append(batch(3, [1]))
        let maintainer = try maintainer(server)
        #expect(try maintainer.redispatch(letter(1, [4, 5]), to: 3, in: try shape(maintainer)))
        #expect(try engine.actions(of: 3) == [[1], [4, 5]])
        #expect(try engine.deadLetters(atMost: 9).map(\.offset) == [ClusterOffset(5, 2)])
        #expect(try !maintainer.redispatch(letter(1, [4, 5]), to: 3, in: try shape(maintainer)))
        #expect(try engine.actions(of: 3).count == 2)
    }

    @Test func `a dead letter stays while there is no room for its action`() throws {
        let server = try RedisServer("--maxmemory-policy", "noeviction")
        let engine = try server.engine()
        try own(engine, 2, dead: [letter(1)])
        let maintainer = try maintainer(server)
        let shape = try shape(maintainer)
        try server.call("CONFIG", "SET", "maxmemory", "1")
        let failure = #expect(throws: ClusterFailure.self) {
            try maintainer.redispatch(letter(1), to: 3, in: shape)
        }
        #expect(failure?.description.hasPrefix("the engine is full: OOM ") == true)
        #expect(try engine.deadLetters(atMost: 9) == [letter(1)])
        #expect(try engine.actions(of: 3) == [])
    }

    @Test func `a dead letter is removed, also one that was written twice`() throws {
        let server = try RedisServer()
        let engine = try server.engine()
        try own(engine, 2, dead: [letter(1), letter(2), letter(1)])
        let maintainer = try maintainer(server)
        #expect(try maintainer.remove(letter(1)))
        #expect(try !maintainer.remove(letter(1)))
        #expect(try engine.deadLetters(atMost: 9) == [letter(2)])
    }
}
