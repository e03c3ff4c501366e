// SPDX-License-Identifier: Apache-2.0

internal import GatehouseControl
internal import GatehouseRuntime
private import Synchronization

/// The stores of this member's current partitions, for observers; callable from any thread.
final class PartitionTable: Sendable {
    /// One partition.
    struct Entry: Sendable {
        /// The store.
        let core: HostStore
        /// The epoch under which it is owned.
        let epoch: Int
        /// When the partition was loaded.
        let since: ContinuousClock.Instant
        /// When its last checkpoint was written; nil before the first.
        var checkpoint: ContinuousClock.Instant?
    }

    /// The state guarded by the lock.
    private struct State {
        /// The partitions, by number.
        var entries: [Int: Entry] = [:]
        /// Called with each change; nil without an observer.
        var tell: (@Sendable (Int, PartitionChange) -> Void)?
    }

    /// The partitions and the observer.
    private let state = Mutex(State())

    /// Adds a partition.
    func enter(_ core: HostStore, epoch: Int, as number: Int) {
        state.withLock { state in
            state.entries[number] = Entry(core: core, epoch: epoch, since: .now)
            state.tell?(number, .came(core))
        }
    }

    /// Records a checkpoint.
    func note(_ checkpoint: ContinuousClock.Instant, of number: Int) {
        state.withLock { $0.entries[number]?.checkpoint = checkpoint }
    }

    /// Removes a partition, with its store's final counts.
    func leave(_ number: Int, _ counts: HostCounts) {
        state.withLock { state in
            if state.entries.removeValue(forKey: number) != nil { state.tell?(number, .gone(counts)) }
        }
    }

    /// All partitions.
    var all: [Int: Entry] { state.withLock { $0.entries } }

    /// Reports each current partition, then each that comes or goes; calls `tell` under the lock.
    func follow(_ tell: @escaping @Sendable (Int, PartitionChange) -> Void) {
        state.withLock { state in
            for (number, entry) in state.entries { tell(number, .came(entry.core)) }
            state.tell = tell
        }
    }
}
