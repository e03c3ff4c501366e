// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

/// Numbers that all members compute alike, by another program.
@Suite(.timeLimit(.minutes(10))) struct PartitionHashTests {

    @Test func `a table gives what falls to one that goes to the others, and takes it back`() {
        var table = RendezvousTable(partitions: 12)
        #expect((0..<12).allSatisfy { table[$0] == nil })
        for members in [["host-1", "host-2", "host-3"], ["host-1", "host-3"], [], ["host-2", "host-3"]] {
            table.settle(among: Set(members))
            #expect(
                (0..<12).map { table[$0] } == (0..<12).map { Rendezvous.owner(of: $0, among: members) })
        }
    }
}
