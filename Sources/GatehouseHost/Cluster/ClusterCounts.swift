// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// What a member has done in its cluster; counted and read from any thread.
final class ClusterCounts: Sendable {
    /// The checkpoints that the engine has confirmed.
    struct Checkpoints: Sendable {
        /// How many were written.
        var count = 0
        /// How long all of them took together.
        var time = Duration.zero
    }

    /// Actions that were dropped because they had been there before.
    private let duplicateCount = Atomic(0)
    /// Actions that were taken from partitions.
    private let takenCount = Atomic(0)
    /// Outputs for other partitions.
    private let outputCount = Atomic(0)
    /// Partitions that others had taken while this member thought it had them.
    private let fencedCount = Atomic(0)
    /// Partitions that were handed over.
    private let handOverCount = Atomic(0)
    /// What the stores of partitions have counted that this member does not have any more; nil for none.
    private let past = Mutex<HostCounts?>(nil)
    /// The checkpoints.
    private let written = Mutex(Checkpoints())

    /// Nothing done.
    init() {}

    /// Counts an action that was dropped.
    func countDuplicate() { duplicateCount.add(1, ordering: .relaxed) }
    /// Counts so many actions that were read, duplicates included.
    func countTaken(_ count: Int) { takenCount.add(count, ordering: .relaxed) }
    /// Counts a partition that somebody else had taken.
    func countFenced() { fencedCount.add(1, ordering: .relaxed) }
    /// Counts a partition that came to its end here.
    func countHandOver() { handOverCount.add(1, ordering: .relaxed) }
    /// Adds what the store of a partition has counted that this member gives up.
    func count(_ store: HostCounts) { past.withLock { $0 = $0?.adding(store.past) ?? store.past } }
    /// Counts checkpoints that were written together, the outputs in them, and the time until the engine had confirmed all.
    func countCheckpoints(_ count: Int, outputs: Int, in time: Duration) {
        outputCount.add(outputs, ordering: .relaxed)
        written.withLock {
            $0.count += count
            $0.time += time
        }
    }

    /// Actions that were dropped because they had been there before.
    var duplicates: Int { duplicateCount.load(ordering: .relaxed) }
    /// Actions that were taken from partitions.
    var taken: Int { takenCount.load(ordering: .relaxed) }
    /// Outputs for other partitions.
    var outputs: Int { outputCount.load(ordering: .relaxed) }
    /// Partitions that others had taken.
    var fenced: Int { fencedCount.load(ordering: .relaxed) }
    /// Partitions that were handed over.
    var handOvers: Int { handOverCount.load(ordering: .relaxed) }
    /// What the stores have counted that are gone; nil for none.
    var stores: HostCounts? { past.withLock { $0 } }
    /// The checkpoints.
    var checkpoints: Checkpoints { written.withLock { $0 } }
}
