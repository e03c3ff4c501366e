// SPDX-License-Identifier: Apache-2.0

/// Watches who has which partition: never are there two, and never is there nobody for long.
struct OwnershipWatch {
    /// What a holder believes.
    struct Lease {
        /// Until when it has its lease.
        let until: Duration
        /// Whether it is the process that has its name; another one cannot write any more.
        let isNamed: Bool
    }

    /// Who has a partition, and since when nobody.
    private struct Holder {
        var member: Int?
        var free = Duration.zero
    }

    /// By partition.
    private var holders: [Holder]
    /// When a member failed last, or came back.
    private var unrest = Duration.zero
    /// What should never be.
    private(set) var faults: [String] = []
    /// The longest time that nobody had a partition, without another failure meanwhile.
    private(set) var longestGap = Duration.zero
    /// How often a partition changed hands.
    private(set) var moves = 0

    /// Nobody has anything.
    init(partitions: Int) { holders = Array(repeating: Holder(), count: partitions) }

    /// Who has a partition; nil for nobody.
    func holder(of partition: Int) -> Int? { holders[partition].member }

    /// Takes note of something that should never be.
    mutating func note(_ fault: String) { faults.append(fault) }

    /// Takes note that a member fails, or comes back.
    mutating func disturb(at now: Duration) { unrest = now }

    /// A member begins with a partition.
    ///
    /// - Parameter before: what its holder believes; nil while it has none.
    mutating func begin(_ partition: Int, by member: Int, at now: Duration, before: Lease?) {
        if let holder = holders[partition].member, let before {
            if now < before.until, holder != member, before.isNamed {
                note(
                    "\(now): \(partition) is begun by \(member) while \(holder) has it until \(before.until)")
            }
            holders[partition].free = min(now, before.until)
        }
        note(gap: now, since: holders[partition].free)
        holders[partition] = Holder(member: member)
        moves += 1
    }

    /// A member ends with a partition, if it has it.
    ///
    /// - Parameter lease: what its holder believes; nil for nothing.
    mutating func end(_ partition: Int, by member: Int, at now: Duration, lease: Lease?) {
        guard holders[partition].member == member else { return }
        holders[partition] = Holder(member: nil, free: min(now, lease?.until ?? now))
    }

    /// Looks at a partition in the end.
    ///
    /// - Parameters:
    ///   - wanted: who should have it.
    ///   - lease: what its holder believes; nil for nothing.
    mutating func finish(_ partition: Int, with wanted: Int?, at now: Duration, lease: Lease?) {
        let holder = holders[partition].member
        if holder == nil { note(gap: now, since: holders[partition].free) }
        if holder != wanted || !(lease.map { now < $0.until } ?? false) {
            note("\(partition) is with \(holder ?? -1) in the end, not with \(wanted ?? -1)")
        }
    }

    /// Nobody had a partition from a time on to another.
    private mutating func note(gap end: Duration, since start: Duration) {
        longestGap = max(longestGap, end - max(start, unrest))
    }
}
