// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster

/// What is new in the rolls that a member is given, for its operator.
struct RollNews {
    /// The member's name.
    private let member: String
    /// How many partitions and members were told of last, and how many were found in the roll before.
    private var told = (owned: -1, members: 0), found = (owned: -1, members: 0)
    /// Members with other plugins that were told of, with the digests of these.
    private var strangers: [String: String] = [:]
    /// The number of the last request to reload; nil before the first roll.
    private var reload: Int?

    /// What is new to a member that was given none.
    init(for member: String) { self.member = member }

    /// Takes a roll; gives what to tell, and whether the members were asked to reload since the one before.
    ///
    /// - Parameters:
    ///   - owned: how many partitions the member has.
    ///   - digest: of its plugins.
    mutating func take(_ roll: ClusterRoll, owned: Int, digest: String) -> (
        notices: [ClusterNotice], isReload: Bool
    ) {
        var notices = newStrangers(in: roll, to: digest).map { ClusterNotice.otherPlugins(member: $0) }
        let found = (owned: owned, members: roll.live.count)
        // What moves is told when it has settled.
        if found == self.found, found != told, found.owned > 0 || told.owned > 0 {
            told = found
            notices.append(.owns(found.owned, of: roll.titles.count, members: found.members))
        }
        self.found = found
        defer { reload = roll.reload }
        return (notices, reload.map { roll.reload > $0 } ?? false)
    }

    /// The live members, by name, that have other plugins than a digest says, and of which that was not told.
    private mutating func newStrangers(in roll: ClusterRoll, to digest: String) -> [String] {
        roll.digests.sorted { $0.key < $1.key }.filter { name, other in
            guard name != member, other != digest, roll.live.contains(name) else { return false }
            return strangers.updateValue(other, forKey: name) != other
        }.map(\.key)
    }
}
