// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

@Suite(.timeLimit(.minutes(10))) struct PartitionStageTests {
    @Test func `a stage is loaded while it is processed, and has its epoch and its call`() {
        let stages: [PartitionStage] = [
            .acquiring(call: 7), .running(epoch: 3), .finishing(epoch: 4), .releasing(epoch: 5, call: 8),
        ]
        #expect(stages.map(\.isLoaded) == [false, true, true, false])
        #expect(stages.map(\.isRunning) == [false, true, false, false])
        #expect(stages.map(\.isComing) == [true, false, false, false])
        #expect(stages.map(\.isGoing) == [false, false, true, true])
        #expect(stages.map(\.epoch) == [nil, 3, 4, 5])
        #expect(stages.map(\.call) == [7, nil, nil, 8])
    }
}
