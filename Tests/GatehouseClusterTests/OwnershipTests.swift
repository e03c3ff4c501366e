// SPDX-License-Identifier: Apache-2.0

import ClusterSimulation
import SeededTesting
import Testing

@testable import GatehouseCluster

/// What holds of owners of partitions whatever fails, in clusters whose coincidences follow from seeds. `make simulate-cluster` runs more.
@Suite(.timeLimit(.minutes(10))) struct OwnershipTests {
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `no partition has two owners, and in the end each has the right one`(seed: UInt64) {
        var cluster = SimulatedCluster(.init(members: 5, partitions: 8), seed: seed)
        cluster.run()
        #expect(cluster.faults == [])
        // A lost message costs a third of a lease, and several may be lost.
        #expect(cluster.longestGap <= .seconds(9))
    }

    @Test(arguments: 21...40 as ClosedRange<UInt64>)
    func `without lost messages nobody waits for longer than two leases`(seed: UInt64) {
        var terms = SimulatedCluster.Terms(members: 5, partitions: 8)
        terms.lost = 0
        terms.late = 0
        var cluster = SimulatedCluster(terms, seed: seed)
        cluster.run()
        #expect(cluster.faults == [])
        #expect(cluster.longestGap <= terms.lease * 2)
    }

    @Test func `what falls to a member is about its share`() {
        let members = (1...8).map { "host-\($0)" }
        var shares: [String: Int] = [:]
        for partition in 0..<4_096 {
            shares[Rendezvous.owner(of: partition, among: members) ?? "", default: 0] += 1
        }
        #expect(shares.count == 8)
        #expect(shares.values.allSatisfy { (400...630).contains($0) }, "\(shares)")
    }

    @Test func `a member that goes moves its own partitions only`() {
        let members = (1...8).map { "host-\($0)" }
        for partition in 0..<1_000 {
            let before = Rendezvous.owner(of: partition, among: members)
            let after = Rendezvous.owner(of: partition, among: members.filter { $0 != "host-3" })
            #expect(after == before || before == "host-3")
        }
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `whoever comes and goes, each partition is with the member that draws the highest`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let names = (1...12).map { "host-\($0)" }
        var intendedOwners = RendezvousTable(partitions: 200)
        for _ in 0..<30 {
            let members = Set(names.filter { _ in Bool.random(using: &generator) })
            intendedOwners.settle(among: members)
            #expect(
                (0..<200).map { intendedOwners[$0] }
                    == (0..<200).map { Rendezvous.owner(of: $0, among: members) })
        }
        intendedOwners.settle(among: [])
        #expect((0..<200).allSatisfy { intendedOwners[$0] == nil })
    }

    @Test func `keys keep their partitions over versions`() {
        #expect(["", "E-1002", "größe"].map { PartitionHash.partition(of: $0, in: 64) } == [27, 2, 40])
    }
}
