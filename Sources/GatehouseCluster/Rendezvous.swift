// SPDX-License-Identifier: Apache-2.0

/// Assigns a partition to one of the live members: the one with the highest score for it.
///
/// All members with the same view agree, and a member that comes or goes moves only its own share (Thaler and Ravishankar,
/// 1998).
package enum Rendezvous {
    /// Returns the member that should own a partition; nil when there is none.
    package static func owner(of partition: Int, among members: some Sequence<String>) -> String? {
        members.map { (weight(of: $0, for: partition), $0) }.max { $0 < $1 }?.1
    }

    /// Returns a member's score for a partition.
    fileprivate static func weight(of member: String, for partition: Int) -> UInt64 {
        PartitionHash.hash(member.utf8, seed: UInt64(truncatingIfNeeded: partition) &* 0x9e37_79b9_7f4a_7c15)
    }
}

/// The members that should own each partition: a joining member is scored once per partition; a departed member's partitions are
/// rescored.
struct RendezvousTable: Sendable {
    /// The current members.
    private var members: Set<String> = []
    /// The highest score for each partition, and its member; nil without members.
    private var highest: [(weight: UInt64, member: String)?]

    /// Creates the intended owners of partitions, without members.
    init(partitions: Int) { highest = Array(repeating: nil, count: partitions) }

    /// The member that should own a partition; nil when there is none.
    subscript(partition: Int) -> String? { highest[partition]?.member }

    /// Sets the members.
    mutating func settle(among members: Set<String>) {
        let (gone, come) = (self.members.subtracting(members), members.subtracting(self.members))
        self.members = members
        for partition in highest.indices {
            var drawing = come
            if let member = highest[partition]?.member, gone.contains(member) {
                highest[partition] = nil
                drawing = members
            }
            for member in drawing {
                let drawn = (weight: Rendezvous.weight(of: member, for: partition), member: member)
                if let best = highest[partition], drawn < best { continue }
                highest[partition] = drawn
            }
        }
    }
}
