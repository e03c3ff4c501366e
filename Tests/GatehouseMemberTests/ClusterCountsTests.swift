// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseMember

@Suite(.timeLimit(.minutes(10))) struct ClusterCountsTests {
    @Test func `each thing that a member does is counted by itself`() {
        let counts = ClusterCounts()
        #expect(
            [counts.duplicates, counts.taken, counts.outputs, counts.fenced, counts.handOvers] == [
                0, 0, 0, 0, 0,
            ])
        counts.countDuplicate()
        counts.countTaken(2)
        counts.countCheckpoints(4, outputs: 3, in: .seconds(5))
        for _ in 1...6 { counts.countFenced() }
        for _ in 1...7 { counts.countHandOver() }
        #expect(
            [counts.duplicates, counts.taken, counts.outputs, counts.fenced, counts.handOvers] == [
                1, 2, 3, 6, 7,
            ])
        #expect(counts.checkpoints.count == 4)
        #expect(counts.checkpoints.time == .seconds(5))
    }
}
