// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseRuntime
private import Synchronization

/// Counts of a member's work in its cluster; written and read from any thread.
final class ClusterCounts: Sendable {
    /// The account with the counts; the rest of it is left as it begins.
    private let sums = Mutex(ClusterAccount())
    /// Actions dropped as duplicates; apart from the others, because each is counted by itself.
    private let duplicates = Atomic(0)
    /// The counts of partition stores that this member no longer has; nil for none.
    private let past = Mutex<HostCounts?>(nil)

    /// Counts a dropped duplicate.
    func countDuplicate() { duplicates.add(1, ordering: .relaxed) }
    /// Counts anything else.
    func count(_ body: (inout ClusterAccount) -> Void) { sums.withLock { body(&$0) } }
    /// Adds the counts of a partition's store that this member gives up.
    func count(_ store: HostCounts) { past.withLock { $0 = $0?.adding(store.past) ?? store.past } }

    /// The account with the counts so far.
    var account: ClusterAccount {
        var account = sums.withLock { $0 }
        account.duplicates = duplicates.load(ordering: .relaxed)
        return account
    }
    /// The counts of the stores that have gone; nil for none.
    var stores: HostCounts? { past.withLock { $0 } }
}
