// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Synchronization
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan

/// A journal without threads: nothing happens before its turn comes, and each turn does one thing.
@Suite(.timeLimit(.minutes(10))) struct JournalTurnsTests {
    /// A journal's folder.
    private let folder: String
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = temporary("journal")
    }

    /// A batch of one action.
    private func batch(_ number: UInt64) -> JournalBatch {
        var batch = JournalBatch(generation: 1, firstSequence: number)
        batch.entries = [JournalEntry(action: AnyAction("a"), source: .here(), time: nil)]
        return batch
    }

    @Test func `what is submitted is written and told in one turn, and only then`() throws {
        let turns = try JournalTurns(folder: folder, JournalWriter.Options())
        let writer = JournalWriter(turns, JournalWriter.Options())
        #expect(!turns.write())
        let told = Mutex<[JournalFailure?]>([])
        for number in 1...3 as ClosedRange<UInt64> {
            writer.submit(batch(number)) { failure in told.withLock { $0.append(failure) } }
        }
        #expect(told.withLock { $0.isEmpty })
        #expect(try JournalReader(folder: folder).bounds() == nil)
        #expect(turns.write())
        #expect(!turns.write())
        #expect(told.withLock { $0 } == [nil, nil, nil])
        #expect(try JournalReader(folder: folder).bounds() == 1...3)
        turns.close()
        #expect(turns.failure == nil)
        let next = try JournalWriter(folder: folder)
        #expect(next.start.sequence == 4)
        next.close()
    }

    @Test func `a snapshot comes in parts, and is good after the last one`() throws {
        let turns = try JournalTurns(folder: folder, JournalWriter.Options())
        let writer = JournalWriter(turns, JournalWriter.Options())
        writer.write(JournalSnapshot(sequence: 0, generation: 1) { () throws(CodingFailure) in .empty })
        #expect(!turns.perform())
        // It takes its place, is encoded, written, read back and called good.
        for _ in 1...2 {
            #expect(turns.write())
            #expect(try JournalReader(folder: folder).snapshots().good.isEmpty)
            #expect(turns.perform())
            #expect(!turns.perform())
        }
        #expect(try JournalReader(folder: folder).snapshots().good.isEmpty)
        #expect(turns.write())
        #expect(try JournalReader(folder: folder).snapshots().good.count == 1)
        turns.close()
    }

    @Test func `the end takes all turns that are left`() throws {
        let turns = try JournalTurns(folder: folder, JournalWriter.Options(mode: .relaxed))
        let writer = JournalWriter(turns, JournalWriter.Options(mode: .relaxed))
        writer.submit(batch(1))
        writer.write(JournalSnapshot(sequence: 1, generation: 1) { () throws(CodingFailure) in .empty })
        turns.close()
        let reader = try JournalReader(folder: folder)
        #expect(try reader.bounds() == 1...1)
        #expect(try reader.snapshots().good.map(\.sequence) == [1])
        #expect(try !reader.hasUnendedEpoch())
    }

    @Test func `in relaxed mode a turn syncs what was written, and there is no other before more is`() throws
    {
        let options = JournalWriter.Options(mode: .relaxed)
        let turns = try JournalTurns(folder: folder, options)
        #expect(!turns.maintain())
        let before = try JournalPromise.read(folder: folder).content?.extent
        turns.write([.batch(batch(1), nil)])
        #expect(try JournalPromise.read(folder: folder).content?.extent == before)
        #expect(turns.maintain())
        #expect(try JournalPromise.read(folder: folder).content?.extent.sequence == 1)
        #expect(!turns.maintain())
        turns.close()
    }

    @Test func `while a journal is open nobody else opens it, and afterwards somebody may`() throws {
        let turns = try JournalTurns(folder: folder, JournalWriter.Options())
        #expect(throws: JournalFailure.self) { try JournalTurns(folder: folder, JournalWriter.Options()) }
        turns.close()
        try JournalTurns(folder: folder, JournalWriter.Options()).close()
    }
}
