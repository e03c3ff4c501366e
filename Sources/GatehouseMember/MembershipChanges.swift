// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseRuntime

/// Detects changes in a member's rolls, for its operator.
struct MembershipChanges {
    /// The member's name.
    private let member: String
    /// The counts of partitions and members last reported, and those in the roll before.
    private var told = (owned: -1, members: 0), found = (owned: -1, members: 0)
    /// The members with other plugins reported so far, with their digests.
    private var strangers: [String: String] = [:]
    /// The number of the last request to reload; nil before the first roll.
    private var reload: Int?

    /// Creates the changes of a member that has received no roll.
    init(for member: String) { self.member = member }

    /// Takes a roll; returns notices, and whether the members were asked to reload since the last one.
    ///
    /// - Parameters:
    ///   - owned: the number of partitions that the member has.
    ///   - digest: the digest of its plugins.
    mutating func take(_ roll: ClusterRoll, owned: Int, digest: String) -> (
        notices: [ClusterNotice], isReload: Bool
    ) {
        let own = ClusterDigest(digest)
        var notices = newStrangers(in: roll, to: digest).map { name in
            let other = ClusterDigest(roll.digests[name] ?? "")
            return ClusterNotice.differs(
                member: name, ClusterDigest.Part.words(other.differences(from: own)))
        }
        let found = (owned: owned, members: roll.live.count)
        // Changes are reported once they have settled.
        if found == self.found, found != told, found.owned > 0 || told.owned > 0 {
            told = found
            notices.append(.owns(found.owned, of: roll.titles.count, members: found.members))
        }
        self.found = found
        defer { reload = roll.reload }
        return (notices, reload.map { roll.reload > $0 } ?? false)
    }

    /// Returns the live members, by name, whose plugins differ from a digest, unless already reported.
    private mutating func newStrangers(in roll: ClusterRoll, to digest: String) -> [String] {
        roll.digests.sorted { $0.key < $1.key }.filter { name, other in
            guard name != member, other != digest, roll.live.contains(name) else { return false }
            return strangers.updateValue(other, forKey: name) != other
        }.map(\.key)
    }
}
