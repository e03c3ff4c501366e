// SPDX-License-Identifier: Apache-2.0

private import Synchronization

/// The memory of batches that are written, for those to come: new memory of this size comes from the system, page by page, and that
/// costs the thread that records more than recording. Callable from any thread.
package final class JournalBuffers: Sendable {
    /// What a batch of many actions takes its memory for; both are empty here.
    package struct Pair: Sendable {
        /// For the actions.
        package var entries: [JournalEntry]
        /// For their lines.
        package var lines: [UInt8]
    }

    /// So many are kept: what waits while as much is written, in batches as the drain hands them over.
    package static let most = 8
    /// Batches of fewer actions are no burden to the system.
    package static let least = 1_024

    /// What is free.
    private let free = Mutex<[Pair]>([])

    /// Nothing yet.
    package init() {}

    /// Memory for a batch; nil when there is none.
    package func take() -> Pair? { free.withLock { $0.popLast() } }

    /// Takes the memory of a batch that nobody else holds, and lets go of what is in it.
    package func give(_ batch: consuming JournalBatch) {
        guard batch.entries.capacity >= Self.least else { return }
        var pair = Pair(entries: [], lines: [])
        swap(&pair.entries, &batch.entries)
        swap(&pair.lines, &batch.lines)
        pair.entries.removeAll(keepingCapacity: true)
        pair.lines.removeAll(keepingCapacity: true)
        free.withLock { [pair] free in
            if free.count < Self.most { free.append(pair) }
        }
    }
}
