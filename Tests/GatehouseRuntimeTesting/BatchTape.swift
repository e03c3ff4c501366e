// SPDX-License-Identifier: Apache-2.0

package import GatehouseJournal
import Synchronization

/// What an action recorder has handed over, where a test has no journal.
package final class BatchTape: Sendable {
    private let content = Mutex<[JournalBatch]>([])

    /// An empty tape.
    package init() {}

    /// All that was handed over and not taken away.
    package var batches: [JournalBatch] { content.withLock { $0 } }

    /// The same, which is taken away.
    package func take() -> [JournalBatch] {
        content.withLock { content in
            defer { content = [] }
            return content
        }
    }

    /// Takes what is handed over.
    package func add(_ batch: JournalBatch) { content.withLock { $0.append(batch) } }
}
