// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import Testing

@testable import GatehouseMember
@testable import GatehouseRuntime

@Suite(.timeLimit(.minutes(10)))
struct MembershipChangesTests {
    /// A roll of members with digests of plugins, in a cluster of eight partitions.
    private func roll(_ digests: [String: String], reload: Int = 0) -> ClusterRoll {
        ClusterRoll(
            live: Set(digests.keys), titles: Array(repeating: .init(), count: 8), reload: reload,
            digests: digests)
    }

    @Test func `how many partitions there are is told once, when it has settled`() {
        var changes = MembershipChanges(for: "a")
        let roll = roll(["a": "1"])
        #expect(changes.take(roll, owned: 0, digest: "1").notices == [])
        #expect(changes.take(roll, owned: 5, digest: "1").notices == [])
        #expect(changes.take(roll, owned: 8, digest: "1").notices == [])
        #expect(changes.take(roll, owned: 8, digest: "1").notices == [.owns(8, of: 8, members: 1)])
        #expect(changes.take(roll, owned: 8, digest: "1").notices == [])
    }

    @Test func `a member that never had a partition says nothing of it, and one that has none any more does`()
    {
        var changes = MembershipChanges(for: "a")
        let roll = roll(["a": "1", "b": "1"])
        _ = changes.take(roll, owned: 0, digest: "1")
        #expect(changes.take(roll, owned: 0, digest: "1").notices == [])
        _ = changes.take(roll, owned: 1, digest: "1")
        _ = changes.take(roll, owned: 1, digest: "1")
        _ = changes.take(roll, owned: 0, digest: "1")
        #expect(changes.take(roll, owned: 0, digest: "1").notices == [.owns(0, of: 8, members: 2)])
    }

    @Test func `members that differ are told by name with what they have, once for each digest`() {
        var changes = MembershipChanges(for: "a")
        let first = changes.take(roll(["c": "2.1.1", "b": "1.2.2", "a": "1.1.1"]), owned: 0, digest: "1.1.1")
        #expect(
            first.notices.map(\.description) == [
                "cluster: b has another configuration of its instances and another \"key\" or \"deduplicate\", compared with this member; make them alike, and reload both",
                "cluster: c has other plugins, compared with this member; make them alike, and reload both",
            ])
        #expect(
            changes.take(roll(["c": "2.1.1", "b": "1.2.2", "a": "1.1.1"]), owned: 0, digest: "1.1.1").notices
                == [])
        #expect(
            changes.take(roll(["c": "3", "b": "1.1.1", "a": "1.1.1"]), owned: 0, digest: "1.1.1").notices
                == [.differs(member: "c", "other plugins and another configuration of its instances")])
    }

    @Test func `a request to reload counts once, and one from before the first roll does not`() {
        var changes = MembershipChanges(for: "a")
        #expect(changes.take(roll(["a": "1"], reload: 4), owned: 0, digest: "1").isReload == false)
        #expect(changes.take(roll(["a": "1"], reload: 5), owned: 0, digest: "1").isReload == true)
        #expect(changes.take(roll(["a": "1"], reload: 5), owned: 0, digest: "1").isReload == false)
    }
}
