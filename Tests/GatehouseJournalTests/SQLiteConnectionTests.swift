// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSQLite
import Glibc
import Testing

@testable import GatehouseJournal

/// What is asked of SQLite beside rows, and that what it refuses is said.
@Suite(.timeLimit(.minutes(10))) struct SQLiteConnectionTests {
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws { temporary = try TemporaryFolder() }

    /// A new file with a table of numbers and texts.
    private func connection() throws -> SQLiteConnection {
        let connection = try SQLiteConnection(path: temporary("a.sqlite"), .writing)
        try connection.execute("CREATE TABLE a (number INTEGER PRIMARY KEY, text TEXT, part REAL)")
        return connection
    }

    @Test func `a transaction is open from its beginning to its end`() throws {
        let connection = try connection()
        #expect(!connection.isInTransaction)
        try connection.execute("BEGIN")
        #expect(connection.isInTransaction)
        try connection.execute("ROLLBACK")
        #expect(!connection.isInTransaction)
    }

    @Test func `a place that a statement does not have takes nothing, and that is said`() throws {
        let connection = try connection()
        let statement = try connection.prepare("INSERT INTO a VALUES (?, ?, ?)")
        for value in [1, UInt64(1), Int64(1), 1.5, "a", Array("a".utf8)] as [any SQLiteBindable] {
            let error = #expect(throws: SQLiteError.self) { try statement.run(1, "a", 1.5, value) }
            #expect(error?.message == "column index out of range")
        }
        let error = #expect(throws: SQLiteError.self) { try statement.run(1, "a", 1.5, lending: [1]) }
        #expect(error?.message == "column index out of range")
        try statement.run()
        #expect(try connection.integer("SELECT count(*) FROM a") == 1)
    }

    @Test func `each value stands at its place, and none is there in the next run`() throws {
        let connection = try connection()
        let statement = try connection.prepare("INSERT INTO a VALUES (?, ?, ?)")
        try statement.run(7, "ü", 1.5)
        try statement.run()
        var rows: [String] = []
        try connection.prepare("SELECT number, text, part FROM a ORDER BY number").forEach {
            row throws(SQLiteError) in
            rows.append("\(row.integer(0)) \(row.isNull(1) ? "nothing" : row.text(1)) \(row.number(2))")
            return true
        }
        #expect(rows == ["7 ü 1.5", "8 nothing 0.0"])
    }

    @Test func `a row that is refused is said, and the statement runs again`() throws {
        let connection = try connection()
        let statement = try connection.prepare("INSERT INTO a VALUES (1, ?, NULL)")
        try statement.run("one")
        let error = #expect(throws: SQLiteError.self) { try statement.run("two") }
        #expect(error?.message == "UNIQUE constraint failed: a.number")
        try connection.execute("DELETE FROM a")
        try statement.run()
        #expect(try connection.integer("SELECT count(*) FROM a") == 1)
    }

    @Test func `an error of SQL text tells of no call to the system`() throws {
        let connection = try connection()
        errno = ENOSPC
        let error = #expect(throws: SQLiteError.self) { try connection.prepare("SELEC") }
        #expect(error?.systemCode == 0)
        errno = ENOSPC
        let other = #expect(throws: SQLiteError.self) { try connection.execute("SELEC") }
        #expect(other?.systemCode == 0)
    }

    @Test func `a number that is not there is none`() throws {
        let connection = try connection()
        #expect(try connection.integer("SELECT number FROM a") == nil)
        #expect(try connection.integer("SELECT max(number) FROM a") == nil)
        #expect(try connection.integer("SELECT 5 UNION ALL SELECT 6") == 5)
    }
}
