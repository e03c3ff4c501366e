// SPDX-License-Identifier: Apache-2.0

import GatehouseJournal
import Synchronization

/// What a simulated host hands over, noted on its way to the journal, and what it hears of that.
final class HostTape: Sendable {
    /// What is on it.
    struct Content {
        /// What the journal must have.
        var past = ExpectedPast()
        /// What belongs to the next batch: what its actions say, the actions of its inputs, the passes that are done.
        var told: [Int] = []
        var opened: [UInt64: Int] = [:]
        var roots: [Int] = []
        /// The state after all that was recorded.
        var state = SimulatedState()
        /// The number of the last dead letter.
        var nextLetter: Int64 = 0
        /// The actions that were set aside.
        var skipped: Set<Int> = []
        /// The moments that were told to be committed, and how many were told not to be.
        var acknowledged: [Int] = []
        var refused = 0
        /// Why nothing is written any more, each time that it was told.
        var failures: [JournalFailure] = []
        /// What an operator was told.
        var diagnostics: [String] = []
    }

    /// What is on it.
    private let content = Mutex(Content())

    /// An empty tape.
    init() {}

    /// Reads or changes what is on it.
    func with<Result>(_ body: (inout sending Content) -> sending Result) -> sending Result {
        content.withLock(body)
    }

    /// Hands a batch over to a writer, and notes it.
    func submit(
        _ batch: JournalBatch, to writer: JournalWriter,
        _ onCommit: (@Sendable (JournalFailure?) -> Void)?
    ) {
        let moment = content.withLock { content in
            defer { (content.told, content.opened, content.roots) = ([], [:], []) }
            return content.past.append(
                batch, told: content.told, opened: content.opened, roots: content.roots,
                state: content.state)
        }
        writer.submit(batch) { [self] failure in
            content.withLock { content in
                if failure == nil { content.acknowledged.append(moment) } else { content.refused += 1 }
            }
            onCommit?(failure)
        }
    }
}
