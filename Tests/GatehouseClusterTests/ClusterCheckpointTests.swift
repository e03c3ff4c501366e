// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

@Suite(.timeLimit(.minutes(10))) struct ClusterCheckpointTests {
    @Test func `a checkpoint is as large as what it writes, and begins with nothing`() {
        var checkpoint = ClusterCheckpoint(partition: 3, member: "a", epoch: 2)
        #expect(checkpoint.size == 0)
        #expect(
            (checkpoint.partition, checkpoint.epoch, checkpoint.processed, checkpoint.number) == (3, 2, 0, 0))
        #expect(checkpoint.offset == ClusterOffset(0, 0))
        checkpoint.slices = ["a": [1, 2], "b": [3]]
        checkpoint.outputs = [
            .init(partition: 1, origin: .init(source: "3", sequence: 1), action: [1, 2, 3, 4])
        ]
        checkpoint.dead = [
            ClusterDeadLetter(
                partition: 3, offset: .start, origin: nil, action: [9], reason: "r", member: "a", time: 1)
        ]
        #expect(checkpoint.size == 3 + 4 + 1)
    }
}
