// SPDX-License-Identifier: Apache-2.0

/// Watches who owns which partition: there must never be two owners, and never none for long.
struct OwnershipWatch {
    /// The lease that a holder believes in.
    struct Lease {
        /// Until when it believes to have its lease.
        let until: Duration
        /// Whether it is the process that has its name; another one can no longer write.
        let isNamed: Bool
    }

    /// The owner of a partition, and since when there is none.
    private struct Holder {
        var member: Int?
        var free = Duration.zero
    }

    /// The holders, by partition.
    private var holders: [Holder]
    /// When a member last failed, or came back.
    private var unrest = Duration.zero
    /// Violations of the rules.
    private(set) var faults: [String] = []
    /// The longest time that a partition had no owner, without another failure meanwhile.
    private(set) var longestGap = Duration.zero
    /// How often a partition changed hands.
    private(set) var moves = 0

    /// Creates a watch over partitions without owners.
    init(partitions: Int) { holders = Array(repeating: Holder(), count: partitions) }

    /// The owner of a partition; nil for none.
    func holder(of partition: Int) -> Int? { holders[partition].member }

    /// Records a violation.
    mutating func note(_ fault: String) { faults.append(fault) }

    /// Records that a member fails, or comes back.
    mutating func disturb(at now: Duration) { unrest = now }

    /// Records that a member begins with a partition.
    ///
    /// - Parameter before: the lease that the present holder believes in; nil without a holder.
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

    /// Records that a member ends with a partition, if it has it.
    ///
    /// - Parameter lease: the lease that its holder believes in; nil for none.
    mutating func end(_ partition: Int, by member: Int, at now: Duration, lease: Lease?) {
        guard holders[partition].member == member else { return }
        holders[partition] = Holder(member: nil, free: min(now, lease?.until ?? now))
    }

    /// Checks a partition at the end.
    ///
    /// - Parameters:
    ///   - wanted: the member that should own it.
    ///   - lease: the lease that its holder believes in; nil for none.
    mutating func finish(_ partition: Int, with wanted: Int?, at now: Duration, lease: Lease?) {
        let holder = holders[partition].member
        if holder == nil { note(gap: now, since: holders[partition].free) }
        if holder != wanted || !(lease.map { now < $0.until } ?? false) {
            note("\(partition) is with \(holder ?? -1) in the end, not with \(wanted ?? -1)")
        }
    }

    /// Records a time without an owner of a partition.
    private mutating func note(gap end: Duration, since start: Duration) {
        longestGap = max(longestGap, end - max(start, unrest))
    }
}
