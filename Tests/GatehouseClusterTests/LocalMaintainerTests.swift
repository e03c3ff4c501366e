// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseCluster

/// What changes a cluster in a file from outside.
@Suite(.timeLimit(.minutes(10)))
struct LocalMaintainerTests {
    private let member = ClusterPresence(name: "a", life: "1")
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The cluster, as a process of its own makes it.
    private func cluster(_ partitions: Int = 4) -> LocalCluster {
        LocalCluster(path: folder("p.db"), name: "shop", partitions: partitions, patience: .milliseconds(50))
    }

    /// A maintainer in a process of its own.
    private func maintainer(_ name: String = "shop") throws -> LocalMaintainer {
        try LocalMaintainer(path: folder("p.db"), name: name, patience: .milliseconds(50))
    }

    /// Actions for partitions, from a source.
    private func batch(_ source: String, _ actions: [(partition: Int, action: [UInt8])]) -> ClusterBatch {
        var batch = ClusterBatch()
        for (index, (partition, action)) in actions.enumerated() {
            batch.add(
                action, to: partition, from: ClusterOrigin(source: source, sequence: UInt64(index) + 1))
        }
        return batch
    }

    /// Makes the member the owner of a partition, writes a checkpoint, and leaves.
    private func visit(_ partition: Int, dead: [ClusterDeadLetter] = []) throws {
        let engine = try cluster().connect()
        try engine.join(member)
        let epoch = try engine.renew(member, for: .seconds(60)).titles[partition].epoch
        _ = try engine.acquire(partition, for: "a", after: epoch)
        #expect(
            try engine.checkpoint(
                ClusterCheckpoint(
                    partition: partition, member: "a", epoch: epoch + 1, offset: .init(7, 0),
                    slices: ["x": [UInt8(partition)]], dead: dead)) == nil)
        try engine.release(partition, of: "a", epoch: epoch + 1)
        try engine.leave(member)
    }

    @Test func `a file that does not exist has no cluster, and is not made by asking`() throws {
        #expect(try maintainer().shape() == nil)
        #expect(!FileSystem.exists(folder("p.db")))
        #expect(
            throws: ClusterFailure.refused(
                "there is no cluster 'shop' at \(folder("p.db")): no member has joined it yet")
        ) {
            _ = try maintainer().engine(of: ClusterShape(partitions: 4, text: "4"))
        }
    }

    @Test func `a file is for the cluster that made it, and for no one else's eyes`() throws {
        try visit(0)
        #expect(try FileSystem.mode(of: folder("p.db")) == 0o600)
        let refusal = ClusterFailure.refused(
            "\(folder("p.db")) holds the cluster 'shop', not 'mall'; give each cluster a file of its own")
        #expect(throws: refusal) { _ = try maintainer("mall").shape() }
        let other = try LocalCluster(path: folder("p.db"), name: "mall", partitions: 4).connect()
        #expect(throws: refusal) { try other.join(member) }
    }

    @Test func `a database of something else is refused`() throws {
        let other = try LocalStore(path: folder("p.db"), patience: .zero)
        try other.execute("PRAGMA user_version = 7000")
        #expect(
            throws: ClusterFailure.refused(
                "\(folder("p.db")) is a database of something else; name another file")
        ) { _ = try maintainer() }
        try other.execute("PRAGMA user_version = 2")
        #expect(
            throws: ClusterFailure.refused(
                "\(folder("p.db")) is written in form 2 by a newer version of Gatehouse, and this one knows forms up to 1; run the newer version here too"
            )
        ) { _ = try cluster().connect() }
    }

    @Test func `while a member lives nothing is begun, and it is named`() throws {
        let engine = try cluster().connect()
        try engine.join(member)
        _ = try engine.renew(member, for: .seconds(60))
        let maintainer = try maintainer()
        let shape = try #require(try maintainer.shape())
        #expect(shape.partitions == 4)
        #expect(try maintainer.beginResize(of: shape, to: 2) == ["a"])
        try engine.append(batch("in", [(0, [1])]))
    }

    @Test func `a resize keeps everybody out until its end, and replaces everything at once`() throws {
        try visit(3)
        let engine = try cluster().connect()
        try engine.append(batch("in", [(3, [1]), (0, [2])]))
        let maintainer = try maintainer()
        let shape = try #require(try maintainer.shape())
        #expect(try maintainer.beginResize(of: shape, to: 2) == [])
        #expect(try maintainer.checkpoint(of: 3).slices == ["x": [3]])
        #expect(try maintainer.checkpoint(of: 0).offset == .start)
        #expect(try maintainer.engine(of: shape).actions(of: 3) == [[1]])
        try maintainer.write(["y": [8]], to: 1)
        try maintainer.append(batch("resize", [(0, [1]), (1, [2]), (0, [3])]))
        #expect(throws: ClusterFailure.self) { try engine.join(member) }
        #expect(try engine.actions(of: 3) == [[1]])
        try maintainer.finishResize(above: 5)
        #expect(throws: ClusterFailure.self) { try engine.append(batch("in", [(3, [1])])) }
        let new = try cluster(2).connect()
        try new.join(member)
        #expect(try new.actions(of: 0) == [[1], [3]])
        #expect(try new.actions(of: 1) == [[2]])
        #expect(try new.survey().partitions.map(\.lag) == [2, 1])
        let roll = try new.renew(member, for: .seconds(60))
        #expect(roll.titles == [.init(epoch: 5), .init(epoch: 5)])
        #expect(
            try new.acquire(1, for: "a", after: 5)
                == .granted(epoch: 6, offset: .start, slices: ["y": [8]], attempts: 1))
    }

    @Test(arguments: [false, true])
    func `a resize that is given up, or whose process ends, has changed nothing`(isKilled: Bool) throws {
        try visit(3)
        var maintainer: LocalMaintainer? = try maintainer()
        let shape = try #require(try maintainer?.shape())
        #expect(try maintainer?.beginResize(of: shape, to: 2) == [])
        try maintainer?.write(["y": [8]], to: 1)
        if !isKilled { maintainer?.abandonResize() }
        maintainer = nil
        try visit(3)
        #expect(try self.maintainer().checkpoint(of: 3).slices == ["x": [3]])
        #expect(try self.maintainer().checkpoint(of: 1).slices == [:])
    }

    @Test func `a dead letter is appended again or forgotten, once`() throws {
        let letters = (1...3).map {
            ClusterDeadLetter(
                partition: 2, offset: ClusterOffset(5, UInt64($0)), origin: nil, action: [UInt8($0)],
                reason: "it ends its host", member: "a", time: 12)
        }
        try visit(2, dead: letters)
        let maintainer = try maintainer()
        let shape = try #require(try maintainer.shape())
        #expect(try maintainer.redispatch(letters[0], to: 1, in: shape))
        #expect(try !maintainer.redispatch(letters[0], to: 1, in: shape))
        #expect(try maintainer.remove(letters[1]))
        #expect(try !maintainer.remove(letters[1]))
        let engine = try maintainer.engine(of: shape)
        #expect(try engine.actions(of: 1) == [[1]])
        #expect(try engine.deadLetters(atMost: 10) == [letters[2]])
        #expect(try maintainer.missing().isEmpty)
    }
}
