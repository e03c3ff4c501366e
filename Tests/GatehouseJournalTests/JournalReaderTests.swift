// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan

/// What a reader gives beside actions, and what it says of what is not there.
@Suite(.timeLimit(.minutes(10))) struct JournalReaderTests {
    /// A journal's folder.
    private let folder: String
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = temporary("journal")
    }

    /// The journal's file.
    private var path: String { folder + "/journal.sqlite" }

    /// Writes batches of two actions each, of which the first comes from an input that stays open.
    private func write(batches: ClosedRange<UInt64>) throws {
        let writer = try JournalWriter(folder: folder)
        for number in batches {
            let source = ActionSource(file: "in", function: "", line: UInt(number), info: nil)
            var batch = JournalBatch(generation: 1, firstSequence: number * 2 - 1)
            batch.inputs = [
                JournalInput(number: number, source: source, line: Array(#"{"type":"a"}"#.utf8))
            ]
            batch.entries = [
                JournalEntry(action: nil, source: source.caused(by: ActionCause(.input, number)), time: nil),
                JournalEntry(action: AnyAction("b"), source: source, time: nil),
            ]
            try writer.commit(batch)
        }
        writer.close()
    }

    /// Changes the journal's file as somebody else would.
    private func tamper(_ sql: String) throws {
        try SQLiteConnection(path: path, .writing).execute(sql)
    }

    /// Writes records of generations that begin after some actions.
    private func insert(after sequences: UInt64...) throws {
        let table = GenerationTable(try SQLiteConnection(path: path, .writing))
        for (number, sequence) in sequences.enumerated() {
            _ = try table.insert(
                GenerationRecord(
                    epoch: 3, number: number + 1, after: sequence, time: 1_763_000_000.5, plan: .nothing,
                    change: GenerationChange()))
        }
    }

    @Test func `generations come back as they were written, but for those after the last action`() throws {
        try write(batches: 1...2)
        try insert(after: 0, 4, 5)
        let (records, damaged) = try JournalReader(folder: folder).generations()
        #expect(damaged.isEmpty)
        #expect(
            records == [
                GenerationRecord(
                    id: 1, epoch: 3, number: 1, after: 0, time: 1_763_000_000.5, plan: .nothing,
                    change: GenerationChange()),
                GenerationRecord(
                    id: 2, epoch: 3, number: 2, after: 4, time: 1_763_000_000.5, plan: .nothing,
                    change: GenerationChange()),
            ])
    }

    @Test(arguments: ["epoch", "number", "after", "time"])
    func `a generation of which a column has changed is named, and the others are there`(column: String)
        throws
    {
        try write(batches: 1...2)
        try insert(after: 0, 1, 2)
        try tamper("UPDATE generation SET \(column) = 4 WHERE id = 2")
        let (records, damaged) = try JournalReader(folder: folder).generations()
        #expect(records.map(\.id) == [1, 3])
        #expect(
            damaged.map(\.description) == [
                "the record of generation 2 of the journal cannot be read: its content is that of another generation"
            ])
    }

    @Test func `a generation that is missing between two is named`() throws {
        try write(batches: 1...2)
        try insert(after: 0, 1, 2)
        try tamper("DELETE FROM generation WHERE id = 2")
        let (records, damaged) = try JournalReader(folder: folder).generations()
        #expect(records.map(\.id) == [1, 3])
        #expect(damaged == [GenerationDamage(id: 2, reason: "it is not there")])
    }

    @Test(arguments: [2, 3, 4])
    func `a journal of form 2 has generations, and is of form 4 when it was opened`(
        form: Int64
    ) throws {
        try write(batches: 1...1)
        try insert(after: 0)
        try tamper("PRAGMA user_version = \(form)")
        let reader = try JournalReader(folder: folder)
        #expect(try reader.generations().records.map(\.id) == [1])
        #expect(try reader.extent().generation == 1)
        try JournalWriter(folder: folder).close()
        #expect(try JournalReader(folder: folder).connection.integer("PRAGMA user_version") == 4)
    }

    @Test func `for a restart a batch that is missing at the beginning or at the end is damage`() throws {
        try write(batches: 1...5)
        try tamper("DELETE FROM batch WHERE id IN (1, 2, 5)")
        let reader = try JournalReader(folder: folder)
        let cursor = JournalCursor(
            try BatchTable(reader.connection, path: path), from: 1, to: .max, end: 5)
        var damage: [JournalDamage] = []
        while let item = try cursor.next() {
            if case .damage(let found) = item { damage.append(found) }
        }
        #expect(damage.first == JournalDamage(kind: .missing, batch: 2, sequences: 1...4))
        #expect(damage.last == JournalDamage(kind: .missing, batch: 5, sequences: nil))
    }

    @Test func `an input that is not done and cannot be found is told by its batch`() throws {
        try write(batches: 1...4)
        try tamper("DELETE FROM batch WHERE id = 2")
        let (inputs, damage) = try JournalReader(folder: folder).openInputs()
        #expect(inputs.map(\.number) == [1, 3, 4])
        #expect(damage.map(\.description) == ["batch 2 of the journal cannot be found"])
    }

    @Test func `generations that wait together are told apart, whatever comes in one commit`() throws {
        let writer = try JournalWriter(folder: folder, .init(mode: .relaxed))
        for (index, generation) in [1, 1, 2, 2, 3].enumerated() {
            var batch = JournalBatch(generation: generation, firstSequence: UInt64(index + 1))
            batch.entries = [JournalEntry(action: AnyAction("a"), source: .here(), time: nil)]
            writer.submit(batch)
        }
        writer.close()
        let generations = try JournalReader(folder: folder).items().map { item in
            guard case .record(let record) = item else { return 0 }
            return record.generation
        }
        #expect(generations == [1, 1, 2, 2, 3])
    }
}
