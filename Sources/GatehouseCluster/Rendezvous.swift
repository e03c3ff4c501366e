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
    private static func weight(of member: String, for partition: Int) -> UInt64 {
        PartitionHash.hash(member.utf8, seed: UInt64(truncatingIfNeeded: partition) &* 0x9e37_79b9_7f4a_7c15)
    }
}
