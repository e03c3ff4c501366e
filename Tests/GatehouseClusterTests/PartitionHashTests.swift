// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

/// Numbers that all members compute alike, by another program.
@Suite(.timeLimit(.minutes(10))) struct PartitionHashTests {
    @Test(
        arguments: [
            ("", 0, 0xf52a_15e9_a9b5_e89b), ("a", 0, 0x02c0_bdbf_4814_20f8), ("a", 1, 0x270a_eb36_a957_26cf),
            ("größe", 0, 0xbe90_79c1_b7e5_afe8), ("host-1", 7, 0xd7ca_870e_5669_a776),
        ] as [(String, UInt64, UInt64)])
    func `hashes are the same everywhere`(text: String, seed: UInt64, hash: UInt64) {
        #expect(PartitionHash.hash(text.utf8, seed: seed) == hash)
        if seed == 0 { #expect(PartitionHash.hash(text.utf8) == hash) }
        #expect(PartitionHash.partition(of: "a", in: 1) == 0)
    }

    @Test func `members draw the same everywhere`() {
        let members = ["host-1", "host-2", "host-3"]
        let favorites = (0..<12).map { Rendezvous.favorite(of: $0, among: members) }
        #expect(favorites.map { $0?.last } == Array("131132311111").map { Optional($0) })
        let owners = Rendezvous.owners(of: 12, among: members)
        #expect(owners.map { $0?.last } == Array("231132323121").map { Optional($0) })
        #expect(Rendezvous.owners(of: 2, among: []) == [nil, nil])
    }

    @Test func `a table gives what falls to one that goes to the others, and takes it back`() {
        var table = RendezvousTable(partitions: 12)
        #expect((0..<12).allSatisfy { table[$0] == nil })
        for members in [["host-1", "host-2", "host-3"], ["host-1", "host-3"], [], ["host-2", "host-3"]] {
            table.settle(among: Set(members))
            #expect(
                (0..<12).map { table[$0] } == Rendezvous.owners(of: 12, among: members))
        }
    }
}
