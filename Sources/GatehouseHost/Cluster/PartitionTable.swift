// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// The stores of the partitions that this member has at the moment, for who wants to look at them; callable from any thread.
final class PartitionTable: Sendable {
    /// One partition.
    struct Entry: Sendable {
        /// Its store.
        let core: HostCore
        /// The epoch under which it is owned.
        let epoch: Int
        /// When it was loaded.
        let since: ContinuousClock.Instant
        /// When its last checkpoint was written; nil before the first.
        var checkpoint: ContinuousClock.Instant?
    }

    /// By their numbers.
    private let entries = Mutex<[Int: Entry]>([:])

    /// No partitions.
    init() {}

    /// Enters a partition.
    func enter(_ core: HostCore, epoch: Int, as number: Int) {
        entries.withLock { $0[number] = Entry(core: core, epoch: epoch, since: .now) }
    }

    /// Takes note of a checkpoint.
    func note(_ checkpoint: ContinuousClock.Instant, of number: Int) {
        entries.withLock { $0[number]?.checkpoint = checkpoint }
    }

    /// Leaves a partition out.
    func leave(_ number: Int) { _ = entries.withLock { $0.removeValue(forKey: number) } }

    /// All of them.
    var all: [Int: Entry] { entries.withLock { $0 } }
}
