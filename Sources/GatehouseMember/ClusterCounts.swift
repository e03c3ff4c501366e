// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime
private import Synchronization

/// Counts of a member's work in its cluster; written and read from any thread.
final class ClusterCounts: Sendable {
    /// Checkpoints confirmed by the engine.
    struct Checkpoints: Sendable {
        /// The number of checkpoints.
        var count = 0
        /// The time that all of them took together.
        var time = Duration.zero
    }

    /// Actions dropped as duplicates.
    private let duplicateCount = Atomic(0)
    /// Actions taken from partitions.
    private let takenCount = Atomic(0)
    /// Outputs for other partitions.
    private let outputCount = Atomic(0)
    /// Partitions that others had acquired while this member believed it owned them.
    private let fencedCount = Atomic(0)
    /// Partitions handed over.
    private let handOverCount = Atomic(0)
    /// The counts of partition stores that this member no longer has; nil for none.
    private let past = Mutex<HostCounts?>(nil)
    /// The checkpoints.
    private let written = Mutex(Checkpoints())

    /// Creates counts of zero.
    init() {}

    /// Counts a dropped duplicate.
    func countDuplicate() { duplicateCount.add(1, ordering: .relaxed) }
    /// Counts actions that were read, duplicates included.
    func countTaken(_ count: Int) { takenCount.add(count, ordering: .relaxed) }
    /// Counts a partition that another member had acquired.
    func countFenced() { fencedCount.add(1, ordering: .relaxed) }
    /// Counts a partition handed over.
    func countHandOver() { handOverCount.add(1, ordering: .relaxed) }
    /// Adds the counts of a partition's store that this member gives up.
    func count(_ store: HostCounts) { past.withLock { $0 = $0?.adding(store.past) ?? store.past } }
    /// Counts checkpoints written together, their outputs, and the time until the engine had confirmed all.
    func countCheckpoints(_ count: Int, outputs: Int, in time: Duration) {
        outputCount.add(outputs, ordering: .relaxed)
        written.withLock {
            $0.count += count
            $0.time += time
        }
    }

    /// Actions dropped as duplicates.
    var duplicates: Int { duplicateCount.load(ordering: .relaxed) }
    /// Actions taken from partitions.
    var taken: Int { takenCount.load(ordering: .relaxed) }
    /// Outputs for other partitions.
    var outputs: Int { outputCount.load(ordering: .relaxed) }
    /// Partitions that others had acquired.
    var fenced: Int { fencedCount.load(ordering: .relaxed) }
    /// Partitions handed over.
    var handOvers: Int { handOverCount.load(ordering: .relaxed) }
    /// The counts of the stores that have gone; nil for none.
    var stores: HostCounts? { past.withLock { $0 } }
    /// The checkpoints.
    var checkpoints: Checkpoints { written.withLock { $0 } }
}
