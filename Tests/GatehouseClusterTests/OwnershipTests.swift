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

    /// Names of members, of which no two clusters have the same.
    private func names(_ count: Int, _ generator: inout SeededGenerator) -> [String] {
        (0..<count).map { "host-\(UInt32.random(in: 0 ... .max, using: &generator))-\($0)" }
    }

    @Test func `in a thousand clusters of 12 members the busiest has at most a fifth more than its share`() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<1_000 {
            let owners = Rendezvous.owners(of: 64, among: names(12, &generator))
            let shares = Dictionary(grouping: owners, by: \.self).mapValues(\.count)
            #expect(shares[nil] == nil)
            #expect(shares.values.allSatisfy { Double($0) <= 1.2 * 64 / 12 }, "\(shares)")
        }
    }

    @Test(arguments: [(1, 1), (3, 2), (16, 2), (64, 5), (64, 100), (4_096, 8)])
    func `no member has more than its bound, and none is asked for less than it can have`(
        partitions: Int, count: Int
    ) {
        var generator = SeededGenerator(seed: 2)
        let members = names(count, &generator)
        let owners = Rendezvous.owners(of: partitions, among: members)
        let shares = Dictionary(grouping: owners, by: \.self).mapValues(\.count)
        let most = Rendezvous.most(of: partitions, among: count)
        #expect(owners.allSatisfy { $0 != nil })
        #expect(shares.values.allSatisfy { $0 <= most })
        // A partition is with its favorite, unless that has as many as it may.
        for partition in 0..<partitions {
            let favorite = Rendezvous.favorite(of: partition, among: members)
            #expect(owners[partition] == favorite || shares[favorite] == most)
        }
    }

    @Test func `a member that goes moves hardly more than its own partitions`() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<50 {
            let members = names(8, &generator)
            let before = Rendezvous.owners(of: 256, among: members)
            let after = Rendezvous.owners(of: 256, among: members.dropFirst())
            let moved = (0..<256).count { before[$0] != after[$0] }
            let own = before.count { $0 == members[0] }
            #expect(moved <= own + 256 / 16, "\(moved) \(own)")
        }
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `whoever comes and goes, the owners are those of a cluster that began with the same members`(
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        let names = (1...12).map { "host-\($0)" }
        var intendedOwners = RendezvousTable(partitions: 200)
        for _ in 0..<30 {
            let members = Set(names.filter { _ in Bool.random(using: &generator) })
            intendedOwners.settle(among: members)
            #expect((0..<200).map { intendedOwners[$0] } == Rendezvous.owners(of: 200, among: members))
        }
        intendedOwners.settle(among: [])
        #expect((0..<200).allSatisfy { intendedOwners[$0] == nil })
    }

    @Test func `keys keep their partitions over versions`() {
        #expect(["", "E-1002", "größe"].map { PartitionHash.partition(of: $0, in: 64) } == [27, 2, 40])
    }
}
