// SPDX-License-Identifier: Apache-2.0

import GatehouseControl
import Testing

@testable import GatehouseMember

@Suite(.timeLimit(.minutes(10))) struct ClusterCountsTests {
    @Test func `each thing that a member does is counted by itself`() {
        let counts = ClusterCounts()
        #expect(counts.account == ClusterAccount())
        counts.countDuplicate()
        for _ in 1...2 { counts.count { $0.taken += 1 } }
        for _ in 1...3 { counts.count { $0.checkpointTime += .seconds(1) } }
        var expected = ClusterAccount()
        (expected.duplicates, expected.taken, expected.checkpointTime) = (1, 2, .seconds(3))
        #expect(counts.account == expected)
    }
}
