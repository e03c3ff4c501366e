// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSQLite
import Testing

@testable import GatehouseJournal

/// Which actions a cursor gives, and which damage between them.
@Suite(.timeLimit(.minutes(10))) struct JournalCursorTests {
    /// The journal.
    private var rows: JournalRows
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        rows = try JournalRows(in: temporary.path)
    }

    /// Writes six batches of two actions each.
    private func writtenSix() throws -> JournalRows {
        var rows = rows
        for id in 1...6 as ClosedRange<Int64> { try rows.insert(id, from: UInt64(id * 2 - 1), actions: 2) }
        return rows
    }

    /// What a cursor gives until its end: sequences, and damage in a few words.
    private func told(_ cursor: JournalCursor) throws -> String {
        var parts: [String] = []
        while let item = try cursor.next() {
            switch item {
            case .record(let record): parts.append("\(record.sequence)")
            case .damage(let damage):
                let kind =
                    switch damage.kind {
                    case .missing: "missing"
                    case .removed: "removed"
                    case .changed: "changed"
                    case .unreadable: "unreadable"
                    }
                let sequences = damage.sequences.map { " \($0.lowerBound)-\($0.upperBound)" }
                parts.append("[\(kind) batch \(damage.batch)\(sequences ?? "")]")
            }
        }
        return parts.joined(separator: " ")
    }

    /// What is between two actions.
    private func told(_ rows: JournalRows, from first: UInt64 = 0, to last: UInt64 = .max) throws -> String {
        try told(rows.reader.records(from: first, to: last))
    }

    /// What a restart needs between two actions.
    private func whole(_ rows: JournalRows, from first: UInt64, to last: UInt64 = .max, end: Int64) throws
        -> String
    {
        try told(JournalCursor(rows.table, from: first, to: last, end: end))
    }

    // MARK: - Actions

    @Test func `actions come from the first to the last that is wanted, both included`() throws {
        let rows = try writtenSix()
        #expect(try told(rows) == "1 2 3 4 5 6 7 8 9 10 11 12")
        #expect(try told(rows, from: 4, to: 7) == "4 5 6 7")
        #expect(try told(rows, from: 5, to: 5) == "5")
        #expect(try told(rows, from: 12) == "12")
        #expect(try told(rows, from: 13) == "")
        #expect(try told(rows, to: 1) == "1")
        #expect(try told(rows, to: 0) == "")
    }

    @Test func `an action comes with all that its batch says of it`() throws {
        var rows = rows
        try rows.insert(1, from: 1, inputs: [4], passed: [4], actions: 1)
        let items = try rows.reader.items()
        #expect(
            items == [
                .record(
                    JournalRecord(
                        sequence: 1, epoch: 3, generation: 2, batchTime: 12.5, cause: .input(4), file: "in",
                        line: 7, instance: nil, time: 3, bytes: Array(#"{"type":"input/4"}"#.utf8),
                        encodingFailure: nil)),
                .record(
                    JournalRecord(
                        sequence: 2, epoch: 3, generation: 2, batchTime: 12.5, cause: .unknown, file: "in",
                        line: 7, instance: nil, time: nil, bytes: Array(#"{"type":"a/1","payload":""}"#.utf8),
                        encodingFailure: nil)),
            ])
    }

    @Test func `a cursor at the end goes on with what is written later`() throws {
        var rows = rows
        let cursor = try rows.reader.records(to: 3)
        #expect(try told(cursor) == "")
        try rows.insert(1, from: 1, actions: 2)
        #expect(try told(cursor) == "1 2")
        #expect(try told(cursor) == "")
        try rows.insert(2, from: 3, actions: 2)
        #expect(try told(cursor) == "3")
        #expect(try told(cursor) == "")
    }

    @Test func `an input is found in the batch that it came in with, as far back as is open`() throws {
        var rows = rows
        try rows.insert(1, from: 1, inputs: [1, 2], actions: 1)
        try rows.insert(2, from: 2, inputs: [3], passed: [2], open: 1)
        try rows.insert(3, from: 3, actions: 1, open: 1)
        try rows.insert(4, from: 4, passed: [1, 3], open: 1)
        let records = try rows.reader.plainRecords(from: 4)
        #expect(records.map(\.type) == ["input/1", "input/3"])
        #expect(
            try rows.reader.plainRecords().map(\.type) == ["a/1", "input/2", "a/3", "input/1", "input/3"])
    }

    @Test func `an input that is not there any more is damage of the action that it was`() throws {
        var rows = rows
        try rows.insert(1, from: 1, inputs: [1], actions: 1)
        // Says that nothing before it is open.
        try rows.insert(2, from: 2, inputs: [2], passed: [1], actions: 1)
        try rows.insert(3, from: 4, passed: [2], open: 2)
        #expect(try told(rows) == "1 [changed batch 2 2-2] 3 4")
        #expect(
            try rows.reader.items(from: 2, to: 2) == [
                .damage(
                    JournalDamage(
                        kind: .changed("the input that it was cannot be found"), batch: 2, sequences: 2...2))
            ])
    }

    // MARK: - Damage

    @Test func `what is missing between two batches is told once, with all its actions`() throws {
        let rows = try writtenSix()
        try rows.remove(3)
        #expect(try told(rows) == "1 2 3 4 [missing batch 3 5-6] 7 8 9 10 11 12")
        try rows.remove(4)
        #expect(try told(rows) == "1 2 3 4 [missing batch 3 5-8] 9 10 11 12")
        try rows.change(5)
        #expect(try told(rows) == "1 2 3 4 [missing batch 3 5-10] 11 12")
        try rows.change(6)
        #expect(try told(rows) == "1 2 3 4 [missing batch 3]")
    }

    @Test func `a changed batch is told with its actions, wherever it is`() throws {
        for id in 1...6 as ClosedRange<Int64> {
            let temporary = try TemporaryFolder()
            var rows = try JournalRows(in: temporary.path)
            for id in 1...6 as ClosedRange<Int64> {
                try rows.insert(id, from: UInt64(id * 2 - 1), actions: 2)
            }
            try rows.change(id)
            var parts = (1...12).map { "\($0)" }
            parts.replaceSubrange(
                Int(id * 2 - 2)..<Int(id * 2), with: ["[changed batch \(id) \(id * 2 - 1)-\(id * 2)]"])
            #expect(try told(rows) == parts.joined(separator: " "))
        }
    }

    @Test func `a changed batch without actions is told by its number`() throws {
        var rows = rows
        try rows.insert(1, from: 1, actions: 1)
        try rows.insert(2, from: 2)
        try rows.insert(3, from: 2, actions: 1)
        try rows.change(2)
        #expect(try told(rows) == "1 [changed batch 2] 2")
        try rows.remove(2)
        #expect(try told(rows) == "1 [missing batch 2] 2")
        try rows.remove(1)
        #expect(try told(rows) == "2")
    }

    @Test func `damage is told where one of its actions is wanted`() throws {
        let rows = try writtenSix()
        try rows.change(3)
        #expect(try told(rows, from: 5, to: 5) == "[changed batch 3 5-6]")
        #expect(try told(rows, from: 6, to: 6) == "[changed batch 3 5-6]")
        #expect(try told(rows, from: 6, to: 7) == "[changed batch 3 5-6] 7")
        #expect(try told(rows, from: 4, to: 5) == "4 [changed batch 3 5-6]")
        #expect(try told(rows, from: 7, to: 8) == "7 8")
        #expect(try told(rows, from: 3, to: 4) == "3 4")
    }

    @Test func `damage at the end is told, and what is written after it comes`() throws {
        var rows = try writtenSix()
        try rows.change(6)
        let cursor = try rows.reader.records(from: 9)
        #expect(try told(cursor) == "9 10 [changed batch 6 11-12]")
        #expect(try told(cursor) == "")
        try rows.insert(7, from: 13, actions: 1)
        #expect(try told(cursor) == "13")
    }

    @Test func `a batch that follows another than the one that is there is told, and the next follows it`()
        throws
    {
        var rows = rows
        try rows.insert(1, from: 1, actions: 1)
        try rows.insert(2, from: 2, actions: 1)
        try rows.connection.execute("UPDATE batch SET id = 9 WHERE id = 2")
        try rows.insert(2, from: 2, actions: 1)
        try rows.remove(9)
        try rows.insert(3, from: 3, actions: 1)
        #expect(try told(rows) == "1 [changed batch 2 2-2] 3")
        // Nobody knows what a batch follows that comes after a gap.
        try rows.remove(1)
        #expect(try told(rows) == "2 3")
    }

    @Test func `what a host removes from the beginning on is no damage`() throws {
        let rows = try writtenSix()
        let cursor = try rows.reader.records()
        let first = try cursor.next()
        #expect(first != nil)
        for id in 1...6 as ClosedRange<Int64> { try rows.remove(id) }
        // What was read stays.
        #expect(try told(cursor) == "2 3 4 5 6 7 8 9 10 11 12")
        var more = rows
        try more.insert(9, from: 17, actions: 1)
        #expect(try told(cursor) == "[removed batch 7 13-16] 17")
    }

    @Test func `pages that cannot be read are told as one damage`() throws {
        var rows = rows
        for id in 1...6 as ClosedRange<Int64> {
            try rows.insert(id, from: UInt64(id * 2 - 1), actions: 2, size: 1_600)
        }
        _ = try rows.connection.checkpoint(isTruncating: true)
        let copy = temporary("copy.sqlite")
        try FileSystem.write(FileSystem.read(rows.path), to: copy)
        try JournalRows.damagePage(of: 3, in: copy)
        try JournalRows.damagePage(of: 4, in: copy)
        let connection = try SQLiteConnection(path: copy, .readingUnchanging)
        let reader = try JournalReader(connection, path: copy)
        #expect(try told(reader.records()) == "1 2 3 4 [unreadable batch 3 5-8] 9 10 11 12")
        #expect(try told(reader.records(from: 9)) == "9 10 11 12")
    }

    // MARK: - Restarts

    @Test func `a restart misses what is gone at the beginning`() throws {
        let rows = try writtenSix()
        #expect(try whole(rows, from: 1, end: 6) == "1 2 3 4 5 6 7 8 9 10 11 12")
        try rows.remove(1)
        try rows.remove(2)
        #expect(try told(rows, from: 1) == "5 6 7 8 9 10 11 12")
        #expect(try whole(rows, from: 1, end: 6) == "[missing batch 2 1-4] 5 6 7 8 9 10 11 12")
        #expect(try whole(rows, from: 4, end: 6) == "[missing batch 2 4-4] 5 6 7 8 9 10 11 12")
        #expect(try whole(rows, from: 5, end: 6) == "5 6 7 8 9 10 11 12")
        try rows.change(3)
        #expect(try whole(rows, from: 3, to: 8, end: 6) == "[missing batch 2 3-6] 7 8")
    }

    @Test func `a restart misses what is gone at the end, once`() throws {
        let rows = try writtenSix()
        try rows.remove(6)
        #expect(try told(rows, from: 9) == "9 10")
        #expect(try whole(rows, from: 9, end: 5) == "9 10")
        let cursor = try JournalCursor(rows.table, from: 9, end: 6)
        #expect(try told(cursor) == "9 10 [missing batch 6]")
        #expect(try told(cursor) == "")
        #expect(try whole(rows, from: 9, to: 10, end: 6) == "9 10")
    }

    @Test func `a restart needs no more than there is`() throws {
        let rows = try writtenSix()
        #expect(try told(rows.reader.wholeRecords(from: 3, to: 5)) == "3 4 5")
        #expect(try told(rows.reader.wholeRecords(from: 12)) == "12")
        #expect(try told(rows.reader.wholeRecords(from: 13)) == "")
    }
}
