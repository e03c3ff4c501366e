// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSQLite
import Testing

@testable import GatehouseJournal

/// Batches as they are found in the file: how many at a time, by which action, from which time.
@Suite(.timeLimit(.minutes(10))) struct BatchTableTests {
    /// The journal.
    private var rows: JournalRows
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        rows = try JournalRows(in: temporary.path)
    }

    /// Writes rows of zeros as content.
    private func insertZeros(_ ids: ClosedRange<Int64>, size: Int) throws {
        try rows.connection.execute("BEGIN")
        for id in ids {
            try rows.connection.execute(
                "INSERT INTO batch VALUES (\(id), \(id), 1, 0, 0, \(id), 0, zeroblob(\(size)))")
        }
        try rows.connection.execute("COMMIT")
    }

    /// The numbers of rows, and what cannot be read.
    private func told(_ rows: [BatchTable.Row]) -> [String] {
        rows.map { row in
            switch row {
            case .stored(let header, _): "\(header.id)"
            case .unreadable(let id, _): "not \(id)"
            }
        }
    }

    @Test func `an empty table has no bounds, rows or batches`() throws {
        let table = try rows.table
        #expect(try table.bounds() == nil)
        #expect(try table.header(from: 0) == nil)
        #expect(try table.rows(from: 0).isEmpty)
        #expect(try table.batch(with: 1) == nil)
        #expect(try table.sequences(writtenIn: -1e9...1e9) == nil)
    }

    @Test func `a header is that of the first row from a number on`() throws {
        var rows = rows
        try rows.insert(3, from: 10, passed: [4], actions: 2, open: 2, latestInput: 5, time: 9)
        try rows.insert(7, from: 13, begun: [JournalEffect(number: 8, instance: "i", sequence: 1, key: "k")])
        let table = try rows.table
        #expect(try table.bounds() == 3...7)
        let header = BatchHeader(id: 3, first: 10, count: 3, input: 5, effect: 0, open: 2, time: 9)
        #expect(try table.header(from: 0) == header)
        #expect(try table.header(from: 3) == header)
        #expect(try table.header(from: 4)?.id == 7)
        #expect(try table.header(from: 7)?.effect == 8)
        #expect(try table.header(from: 8) == nil)
        #expect(try told(table.rows(from: 3)) == ["3", "7"])
        #expect(try told(table.rows(from: 4)) == ["7"])
        #expect(try told(table.rows(from: 8)) == [])
    }

    @Test func `numbers in a row are taken for some that a host could have given`() throws {
        try rows.connection.execute(
            "INSERT INTO batch VALUES (1, -1, -2, -3, -4, -5, 9e99, x'00'), (2, 9223372036854775807, 1, 2, 3, 4, 5, x'00'), (9223372036854775807, 1, 1, 1, 1, 1, 1, x'00')"
        )
        let table = try rows.table
        #expect(
            try table.header(from: 1)
                == BatchHeader(id: 1, first: 0, count: 0, input: 0, effect: 0, open: 0, time: 1e11))
        #expect(
            try table.header(from: 2)
                == BatchHeader(
                    id: 2, first: JournalNumbers.limit, count: 1, input: 2, effect: 3, open: 4, time: 5))
        #expect(try table.header(from: 3) == nil)
        #expect(try told(table.rows(from: 1)) == ["1", "2"])
    }

    @Test func `256 rows are read at a time`() throws {
        try insertZeros(1...300, size: 1)
        let table = try rows.table
        #expect(try told(table.rows(from: 1)) == (1...256).map(String.init))
        #expect(try told(table.rows(from: 257)) == (257...300).map(String.init))
    }

    @Test func `no more rows are read than a mebibyte needs`() throws {
        try insertZeros(1...8, size: 1 << 18)
        try insertZeros(9...12, size: (1 << 18) - 1)
        try insertZeros(13...13, size: 4)
        try insertZeros(14...14, size: 1)
        let table = try rows.table
        #expect(try told(table.rows(from: 1)) == ["1", "2", "3", "4"])
        #expect(try told(table.rows(from: 9)) == ["9", "10", "11", "12", "13"])
    }

    @Test func `a row that SQLite cannot read is named after those that it can, and before them`() throws {
        var rows = rows
        for id in 1...6 as ClosedRange<Int64> {
            try rows.insert(id, from: UInt64(id), actions: 1, size: 3_000)
        }
        _ = try rows.connection.checkpoint(isTruncating: true)
        try FileSystem.write(FileSystem.read(rows.path), to: temporary("copy.sqlite"))
        try JournalRows.damagePage(of: 3, in: temporary("copy.sqlite"))
        try JournalRows.damagePage(of: 5, in: temporary("copy.sqlite"))
        let connection = try SQLiteConnection(path: temporary("copy.sqlite"), .readingUnchanging)
        let table = try BatchTable(connection, path: temporary("copy.sqlite"))
        #expect(try told(table.rows(from: 1)) == ["1", "2", "not 3"])
        #expect(try told(table.rows(from: 3)) == ["not 3"])
        #expect(try told(table.rows(from: 4)) == ["4", "not 5"])
        #expect(try told(table.rows(from: 6)) == ["6"])
        #expect(try told(table.rows(from: 7)) == [])
        guard case .unreadable(_, let words)? = try table.rows(from: 3).first else {
            Issue.record("it is read")
            return
        }
        #expect(words == "database disk image is malformed")
        let written = try #require(try table.sequences(writtenIn: 0...20))
        #expect(written.bounds == 0...(.max))
        #expect(!written.isWhole)
    }

    @Test func `the batch with an action is found, also between gaps and among batches without any`() throws {
        var rows = rows
        // Actions 5 to 6, none, 7, 8 to 10; then batches are missing, and actions 20 to 21.
        try rows.insert(3, from: 5, actions: 2)
        try rows.insert(4, from: 7)
        try rows.insert(5, from: 7, actions: 1)
        try rows.insert(6, from: 8, actions: 3)
        try rows.insert(10, from: 20, actions: 2)
        let table = try rows.table
        let expected: [(UInt64, Int64)] = [
            (0, 3), (4, 3), (5, 3), (6, 3), (7, 5), (8, 6), (10, 6), (20, 10), (21, 10), (22, 10), (99, 10),
        ]
        for (sequence, id) in expected {
            let found = try #require(try table.batch(with: sequence))
            // A number in a gap stands for the batch after it.
            #expect(try table.header(from: found)?.id == id, "\(sequence)")
        }
        for sequence in 11...19 as ClosedRange<UInt64> {
            #expect(try table.header(from: #require(try table.batch(with: sequence)))?.id == 10)
        }
    }

    @Test func `actions are found by the time at which they were written, the ends included`() throws {
        var rows = rows
        try rows.insert(1, from: 1, actions: 2, time: 10)
        try rows.insert(2, from: 3, time: 20)
        try rows.insert(3, from: 3, actions: 3, time: 30)
        try rows.insert(4, from: 6, actions: 1, time: 25)
        let table = try rows.table
        func told(_ times: ClosedRange<Double>) throws -> String? {
            try table.sequences(writtenIn: times).map { "\($0.bounds) \($0.isWhole)" }
        }
        #expect(try told(0...9.5) == nil)
        #expect(try told(15...20) == nil)
        #expect(try told(0...10) == "1...2 true")
        #expect(try told(10...30) == "1...6 true")
        #expect(try told(30...31) == "3...5 true")
        #expect(try told(10...25) == "1...6 false")
        #expect(try told(25...25) == "6...6 true")
        #expect(try told(30.5...99) == nil)
    }
}
