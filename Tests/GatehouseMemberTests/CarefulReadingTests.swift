// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseMember

/// Which partitions are read action by action; PartitionThreadTests read them.
@Suite(.timeLimit(.minutes(10))) struct CarefulReadingTests {
    @Test func `a partition is read with care from its third grant without a checkpoint on`() {
        var careful = CarefulReading()
        for (partition, attempts) in [1, 2, 3, 4].enumerated() {
            careful.begin(partition, after: attempts)
        }
        #expect(careful.partitions == [2, 3])
        #expect(!careful.contains(1) && careful.contains(2))
        careful.end(2)
        #expect(careful.partitions == [3])
    }
}
