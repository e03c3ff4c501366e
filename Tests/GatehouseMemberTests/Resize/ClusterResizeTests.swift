// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehousePlanTesting
import Testing

@testable import GatehouseCluster
@testable import GatehouseMember
@testable import GatehousePlan

/// What a resize does and tells, of a cluster in memory.
@Suite(.timeLimit(.minutes(10))) struct ClusterResizeTests {
    /// Changes a cluster of one partition, or only looks at it.
    private final class Maintainer: ClusterMaintainer {
        private let cluster: MemoryCluster
        /// Whether nothing is to be changed.
        private let isOnlooker: Bool
        /// The checkpoint of the partition.
        var slices: [String: [UInt8]] = [:]
        /// The new partition whose state cannot be written; nil for none.
        var unwritable: Int?
        /// What stands against the end of a resize; nil for nothing.
        var obstacle: ClusterFailure?
        /// The actions for the new partitions, as they were appended together.
        private(set) var batches: [ClusterBatch] = []
        /// Whether a resize was given up.
        private(set) var hasAbandoned = false

        init(_ cluster: MemoryCluster, isOnlooker: Bool = false) {
            self.cluster = cluster
            self.isOnlooker = isOnlooker
        }

        /// Throws where nothing is to be changed.
        private func change() throws(ClusterFailure) {
            if isOnlooker { throw .refused("it is not to be changed") }
        }

        func shape() throws(ClusterFailure) -> ClusterShape? { nil }
        func engine(of shape: ClusterShape) throws(ClusterFailure) -> any ClusterEngine {
            try cluster.connect()
        }
        func checkpoint(of partition: Int) throws(ClusterFailure) -> (
            offset: ClusterOffset, slices: [String: [UInt8]]
        ) { (.start, slices) }
        func earlierCheckpoints(of partition: Int) throws(ClusterFailure) -> [ClusterOffset] { [] }
        func earlierCheckpoint(of partition: Int, at offset: ClusterOffset) throws(ClusterFailure)
            -> [String: [UInt8]]?
        { nil }
        func redispatch(_ letter: ClusterDeadLetter, to partition: Int, in shape: ClusterShape)
            throws(ClusterFailure) -> Bool
        { throw .refused("nobody asks for it here") }
        func remove(_ letter: ClusterDeadLetter) throws(ClusterFailure) -> Bool {
            throw .refused("nobody asks for it here")
        }
        func missing() throws(ClusterFailure) -> [(member: String, what: String)] {
            throw .refused("nobody asks for it here")
        }
        func resume(_ shape: ClusterShape) throws(ClusterFailure) {
            throw .refused("nobody asks for it here")
        }
        func beginResize(of shape: ClusterShape, to partitions: Int) throws(ClusterFailure) -> [String] {
            try change()
            return []
        }
        func write(_ slices: [String: [UInt8]], to partition: Int) throws(ClusterFailure) {
            try change()
            if partition == unwritable { throw .full("there is no room") }
        }
        func append(_ batch: ClusterBatch) throws(ClusterFailure) {
            try change()
            if !batch.isEmpty { batches.append(batch) }
        }
        func finishResize(above epoch: Int) throws(ClusterFailure) {
            try change()
            if let obstacle { throw obstacle }
        }
        func abandonResize() throws(ClusterFailure) {
            try change()
            hasAbandoned = true
        }
    }

    /// A resize of such a cluster to three partitions.
    private func resize(
        by maintainer: Maintainer, _ instances: [PlannedInstance] = [],
        splits: [String: ClusterConfiguration.Split] = [:]
    ) throws -> ClusterResize {
        var cluster = ClusterConfiguration(engine: "redis://a", name: "shop", partitions: 1)
        cluster.splits = splits
        return try ClusterResize(
            maintainer, ClusterShape(partitions: 1, text: ""), to: 3, cluster, PlanExample.plan(instances),
            discarding: [])
    }

    @Test
    func `what would be done is told: the numbers of partitions, and of actions that wait or are dropped`()
        throws
    {
        let cluster = MemoryCluster()
        for sequence in [1, 2, 2, 3] as [UInt64] {
            cluster.add(#"{"type":"a/b"}"#, to: 0, from: ClusterOrigin(source: "in", sequence: sequence))
        }
        let resize = try resize(by: Maintainer(cluster, isOnlooker: true))
        guard case .done(let summary) = try resize.run(isDry: true) else {
            Issue.record("it is not done")
            return
        }
        #expect([summary.old, summary.new, summary.waiting, summary.repeated] == [1, 3, 3, 1])
    }

    @Test func `an instance that there is once in the cluster is not divided, and any other one is`() throws {
        let maintainer = Maintainer(MemoryCluster(), isOnlooker: true)
        for name in ["instance:next", "instance:orders"] {
            maintainer.slices[name] = Array(#"{"plugin":"plugin","version":1,"state":{"count":3}}"#.utf8)
        }
        let instances = [
            try PlanExample.instance("next", scope: .cluster), try PlanExample.instance("orders"),
        ]
        let resize = try resize(
            by: maintainer, instances, splits: ["orders": ClusterConfiguration.Split(keys: [])])
        guard case .done(let summary) = try resize.run(isDry: true) else {
            Issue.record("it is not done")
            return
        }
        #expect(summary.fates.map(\.instance) == ["next", "orders"])
        #expect(summary.fates.map(\.fate) == [.single, .divided(keys: 0)])
    }

    @Test func `waiting actions are appended together, until there are more than 1 MiB of them`() throws {
        let cluster = MemoryCluster()
        // With `1:1048566:` before it, it has 1 MiB.
        cluster.add(String(repeating: "x", count: 1_048_566), "y", "z", to: 0)
        let maintainer = Maintainer(cluster)
        _ = try resize(by: maintainer).run(isDry: false)
        #expect(maintainer.batches.map(\.count) == [2, 1])
    }

    @Test(arguments: [
        (true, ["read 1 of 1", "counted 1 of 1"]),
        (
            false,
            [
                "read 1 of 1", "counted 1 of 1", "written 1 of 3", "written 2 of 3", "written 3 of 3",
                "moved 1 of 1",
            ]
        ),
    ])
    func `each step is told with how many partitions have come to it`(isDry: Bool, steps: [String]) throws {
        let cluster = MemoryCluster()
        cluster.add(#"{"type":"a/b"}"#, to: 0)
        var told: [String] = []
        _ = try resize(by: Maintainer(cluster)).run(isDry: isDry) { told.append("\($0) \($1) of \($2)") }
        #expect(told == steps)
    }

    @Test func `a partition whose checkpoint cannot be written is not told as written`() throws {
        let maintainer = Maintainer(MemoryCluster())
        maintainer.unwritable = 1
        let resize = try resize(by: maintainer)
        var told: [String] = []
        #expect(throws: ClusterFailure.full("there is no room")) {
            try resize.run(isDry: false) { told.append("\($0) \($1) of \($2)") }
        }
        #expect(told == ["read 1 of 1", "counted 1 of 1", "written 1 of 3"])
    }

    @Test func `a resize that cannot be finished is given up, and throws why`() throws {
        let maintainer = Maintainer(MemoryCluster())
        maintainer.obstacle = .lost("no answer came in time")
        let resize = try resize(by: maintainer)
        #expect(throws: ClusterFailure.lost("no answer came in time")) { try resize.run(isDry: false) }
        #expect(maintainer.hasAbandoned)
    }
}
