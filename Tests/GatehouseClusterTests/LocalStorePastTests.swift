// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

/// Which earlier checkpoints of partitions are kept; the conformance of engines has more.
@Suite(.timeLimit(.minutes(10))) struct LocalStorePastTests {
    @Test func `a checkpoint goes as soon as the next one is as old as the history is long`() throws {
        let store = try LocalStore(path: nil, patience: .zero)
        let hour = 3_600_000
        var (partition, moment) = (0, 0)
        var next = ClusterOffset.start
        // Until both are kept within the millisecond in which the second one is exactly an hour old.
        repeat {
            partition += 1
            moment = LocalStore.now
            next = ClusterOffset(UInt64(moment - hour), 0)
            let first = ClusterOffset(UInt64(moment - 2 * hour), 0)
            #expect(try store.keep(first, of: partition, for: hour) == first)
            #expect(try store.keep(next, of: partition, for: hour) == next)
        } while LocalStore.now != moment
        #expect(try store.earlierCheckpoints(of: partition) == [next])
    }
}
