// SPDX-License-Identifier: Apache-2.0

/// Assigns partitions to the live members: each to the one with the highest score for it that still has room.
///
/// All members with the same view agree, and a member that comes or goes moves little more than its own share (Thaler and Ravishankar,
/// 1998; with bounds as Gale and Shapley's).
package enum Rendezvous {
    /// Returns the members that should own the partitions; nil when there is none.
    package static func owners(of partitions: Int, among members: some Sequence<String>) -> [String?] {
        var table = RendezvousTable(partitions: partitions)
        table.settle(among: Set(members))
        return (0..<partitions).map { table[$0] }
    }

    /// Returns the member with the highest score for a partition; nil when there is none.
    static func favorite(of partition: Int, among members: some Sequence<String>) -> String? {
        members.map { (weight(of: $0, for: partition), $0) }.max { $0 < $1 }?.1
    }

    /// Returns the most partitions that fall to one of several members: a fifth more than its share, or the next whole number.
    static func most(of partitions: Int, among members: Int) -> Int {
        max((partitions + members - 1) / members, partitions * 6 / (members * 5))
    }

    /// Returns a member's score for a partition.
    fileprivate static func weight(of member: String, for partition: Int) -> UInt64 {
        PartitionHash.hash(member.utf8, seed: UInt64(truncatingIfNeeded: partition) &* 0x9e37_79b9_7f4a_7c15)
    }
}

/// The members that should own each partition: a joining member is scored once per partition; a departed member's partitions are
/// rescored.
///
/// Each partition prefers the members with the highest scores for it, and each member the partitions for which it has the highest. The
/// owners are the one assignment in which no partition and no member, each within its bound, would both rather have each other; so it does
/// not depend on who came first.
struct RendezvousTable: Sendable {
    /// A member's score for a partition.
    private typealias Score = (weight: UInt64, member: String)

    /// The current members.
    private var members: Set<String> = []
    /// The highest score for each partition, and its member; nil without members.
    private var highest: [Score?]
    /// The owners, of whom none has more than fall to it.
    private var owners: [String?]

    /// Creates the intended owners of partitions, without members.
    init(partitions: Int) {
        highest = Array(repeating: nil, count: partitions)
        owners = Array(repeating: nil, count: partitions)
    }

    /// The member that should own a partition; nil when there is none.
    subscript(partition: Int) -> String? { owners[partition] }

    /// Sets the members.
    mutating func settle(among members: Set<String>) {
        let (gone, come) = (self.members.subtracting(members), members.subtracting(self.members))
        guard !gone.isEmpty || !come.isEmpty else { return }
        self.members = members
        for partition in highest.indices {
            var drawing = come
            if let member = highest[partition]?.member, gone.contains(member) {
                highest[partition] = nil
                drawing = members
            }
            for member in drawing {
                let drawn = Self.score(of: member, for: partition)
                if let best = highest[partition], drawn < best { continue }
                highest[partition] = drawn
            }
        }
        bound()
    }

    /// Returns the score of a member for a partition.
    private static func score(of member: String, for partition: Int) -> Score {
        (Rendezvous.weight(of: member, for: partition), member)
    }

    /// Gives partitions of members that would have too many to the next ones in line.
    private mutating func bound() {
        owners = highest.map { $0?.member }
        let most = Rendezvous.most(of: highest.count, among: max(1, members.count))
        // The partitions of each member, with their scores there.
        var held: [String: [(weight: UInt64, partition: Int)]] = [:]
        for (partition, score) in highest.enumerated() {
            if let score { held[score.member, default: []].append((score.weight, partition)) }
        }
        // Partitions that a member gives away, with their scores there: only members with lower ones are asked.
        var waiting: [(partition: Int, below: Score)] = []
        for (member, own) in held where own.count > most {
            let sorted = own.sorted { $0 > $1 }
            held[member] = Array(sorted[..<most])
            waiting += sorted[most...].map { ($0.partition, ($0.weight, member)) }
        }
        while let (partition, below) = waiting.popLast() {
            let next = members.map { Self.score(of: $0, for: partition) }.filter { $0 < below }.max {
                $0 < $1
            }
            // There is room for all, so nobody is turned away by everybody.
            guard let next else { continue }
            var own = held[next.member] ?? []
            own.append((next.weight, partition))
            owners[partition] = next.member
            if own.count > most, let last = own.indices.min(by: { own[$0] < own[$1] }) {
                let given = own.remove(at: last)
                waiting.append((given.partition, (given.weight, next.member)))
            }
            held[next.member] = own
        }
    }
}
