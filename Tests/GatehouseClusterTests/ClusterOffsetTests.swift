// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

@Suite(.timeLimit(.minutes(10))) struct ClusterOffsetTests {
    @Test func `an offset has its time in seconds`() {
        #expect(ClusterOffset(12_999, 5).seconds == 12)
        #expect(ClusterOffset("1-2.1") == ClusterOffset(1, 2, place: 1))
        #expect(ClusterOffset("1-2.65534") == ClusterOffset(1, 2, place: 65_534))
        #expect(!(ClusterOffset(1, 2) < ClusterOffset(1, 2)))
        #expect(ClusterOffset.start == ClusterOffset("0-0"))
    }
}
