// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import GatehousePlanTesting
import Testing

@testable import GatehouseCluster
@testable import GatehouseMember
@testable import GatehousePlan

/// What a resize tells, of a cluster in memory.
@Suite(.timeLimit(.minutes(10))) struct ClusterResizeTests {
    /// Looks at a cluster, and changes nothing.
    private final class Onlooker: ClusterMaintainer {
        private let cluster: MemoryCluster

        init(_ cluster: MemoryCluster) { self.cluster = cluster }

        func shape() throws(ClusterFailure) -> ClusterShape? { nil }
        func engine(of shape: ClusterShape) throws(ClusterFailure) -> any ClusterEngine {
            try cluster.connect()
        }
        func checkpoint(of partition: Int) throws(ClusterFailure) -> (
            offset: ClusterOffset, slices: [String: [UInt8]]
        ) { (.start, [:]) }
        func redispatch(_ letter: ClusterDeadLetter, to partition: Int, in shape: ClusterShape)
            throws(ClusterFailure) -> Bool
        { throw .refused("it is not to be changed") }
        func remove(_ letter: ClusterDeadLetter) throws(ClusterFailure) -> Bool {
            throw .refused("it is not to be changed")
        }
        func beginResize(of shape: ClusterShape, to partitions: Int) throws(ClusterFailure) -> [String] {
            throw .refused("it is not to be changed")
        }
        func write(_ slices: [String: [UInt8]], to partition: Int) throws(ClusterFailure) {
            throw .refused("it is not to be changed")
        }
        func append(_ batch: ClusterBatch) throws(ClusterFailure) {
            throw .refused("it is not to be changed")
        }
        func finishResize() throws(ClusterFailure) { throw .refused("it is not to be changed") }
        func abandonResize() throws(ClusterFailure) { throw .refused("it is not to be changed") }
    }

    @Test
    func `what would be done is told: the numbers of partitions, and of actions that wait or are dropped`()
        throws
    {
        let cluster = MemoryCluster()
        for sequence in [1, 2, 2, 3] as [UInt64] {
            cluster.add(#"{"type":"a/b"}"#, to: 0, from: ClusterOrigin(source: "in", sequence: sequence))
        }
        let resize = try ClusterResize(
            Onlooker(cluster), ClusterShape(partitions: 1, text: ""), to: 3,
            ClusterConfiguration(engine: "redis://a", name: "shop", partitions: 1), PlanExample.plan([]),
            discarding: [])
        guard case .done(let summary) = try resize.run(isDry: true) else {
            Issue.record("it is not done")
            return
        }
        #expect([summary.old, summary.new, summary.waiting, summary.repeated] == [1, 3, 3, 1])
    }
}
