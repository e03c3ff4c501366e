// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Synchronization
import Testing

@testable import GatehouseJournal
@testable import GatehouseSupport

/// What one transaction writes into which rows.
@Suite(.timeLimit(.minutes(10))) struct JournalCommitterTests {
    /// Writes to a new journal.
    private let committer: JournalCommitter
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        let folder = temporary("journal")
        try SystemFile.makeFolder(folder)
        committer = try JournalOpening(folder: folder, JournalWriter.Options()).committer
    }

    @Test func `a snapshot that waits between two batches stands between their rows`() throws {
        var history = JournalHistory(seed: 1)
        let marked = Mutex<Int64>(0)
        try committer.write([
            .batch(history.batch(inputs: 2, passes: 1), nil),
            .other(
                { committer throws(JournalFailure) in
                    let mark = try committer.mark()
                    marked.withLock { $0 = mark.batch }
                }, nil),
            .batch(history.batch(inputs: 2, passes: 1), nil),
        ])
        #expect(marked.withLock { $0 } == 2)
        #expect(try committer.connection.integer("SELECT max(id) FROM batch") == 2)
    }

    @Test func `a snapshot needs no batch before the first action that is not in it`() throws {
        for sequence in 1...4 as ClosedRange<UInt64> {
            var batch = JournalBatch(generation: 1, firstSequence: sequence)
            batch.entries = [JournalEntry(action: AnyAction("a"), source: .here(), time: nil)]
            try committer.write([.batch(batch, nil)])
        }
        try committer.write([
            .other(
                { committer throws(JournalFailure) in
                    let snapshot = JournalSnapshot(sequence: 2, generation: 1) {
                        () throws(CodingFailure) in .empty
                    }
                    try committer.insert(committer.mark(), snapshot, [])
                }, nil)
        ])
        #expect(try committer.connection.integer("SELECT floor FROM snapshot") == 3)
    }
}
