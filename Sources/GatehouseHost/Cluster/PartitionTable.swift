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

    /// What happens to a partition.
    enum Change: Sendable {
        /// It has come, with its store.
        case came(HostCore)
        /// It has gone, and that is what its store has counted.
        case gone(HostCounts)
    }

    /// What the lock guards.
    private struct State {
        /// By their numbers.
        var entries: [Int: Entry] = [:]
        /// Told of what comes and goes; nil while nobody wants to know.
        var tell: (@Sendable (Int, Change) -> Void)?
    }

    /// The partitions, and who is told of them.
    private let state = Mutex(State())

    /// No partitions.
    init() {}

    /// Enters a partition.
    func enter(_ core: HostCore, epoch: Int, as number: Int) {
        state.withLock { state in
            state.entries[number] = Entry(core: core, epoch: epoch, since: .now)
            state.tell?(number, .came(core))
        }
    }

    /// Takes note of a checkpoint.
    func note(_ checkpoint: ContinuousClock.Instant, of number: Int) {
        state.withLock { $0.entries[number]?.checkpoint = checkpoint }
    }

    /// Leaves a partition out, whose store has counted so much.
    func leave(_ number: Int, _ counts: HostCounts) {
        state.withLock { state in
            if state.entries.removeValue(forKey: number) != nil { state.tell?(number, .gone(counts)) }
        }
    }

    /// All of them.
    var all: [Int: Entry] { state.withLock { $0.entries } }

    /// Tells of each there is, and from here on of each that comes and goes; tells under the lock.
    func follow(_ tell: @escaping @Sendable (Int, Change) -> Void) {
        state.withLock { state in
            for (number, entry) in state.entries { tell(number, .came(entry.core)) }
            state.tell = tell
        }
    }
}
