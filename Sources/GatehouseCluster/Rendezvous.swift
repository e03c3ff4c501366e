// SPDX-License-Identifier: Apache-2.0

/// Which of the live members a partition belongs to: the one that draws the highest number for it.
///
/// Everybody who knows the same members comes to the same answer, and a member that comes or goes moves only its own share
/// (Thaler and Ravishankar, 1998).
public enum Rendezvous {
    /// The member that should own a partition; nil when there is none.
    public static func owner(of partition: Int, among members: some Sequence<String>) -> String? {
        members.map { (weight(of: $0, for: partition), $0) }.max { $0 < $1 }?.1
    }

    /// What a member draws for a partition.
    fileprivate static func weight(of member: String, for partition: Int) -> UInt64 {
        PartitionHash.hash(member.utf8, seed: UInt64(truncatingIfNeeded: partition) &* 0x9e37_79b9_7f4a_7c15)
    }
}

/// Who should own each partition, kept while members come and go: whoever comes draws once for each partition, and what somebody had who
/// goes is drawn for anew.
struct Heirs: Sendable {
    /// Those who draw.
    private var members: Set<String> = []
    /// Who has drawn the highest number for each partition, and that number; nil while nobody draws.
    private var highest: [(weight: UInt64, member: String)?]

    /// Those of so many partitions, of whom there is none yet.
    init(partitions: Int) { highest = Array(repeating: nil, count: partitions) }

    /// The member that should own a partition; nil when there is none.
    subscript(partition: Int) -> String? { highest[partition]?.member }

    /// Lets exactly these members draw from here on.
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
