// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseJournal
@testable import GatehouseSQLite

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

    // MARK: - Rows

    @Test func `rows are read until somebody has seen enough, and from the beginning the next time`() throws {
        let connection = try connection()
        try connection.execute("INSERT INTO a VALUES (1, 'x', NULL), (2, 'y', NULL), (3, 'z', NULL)")
        let statement = try connection.prepare("SELECT number, text FROM a WHERE number >= ? ORDER BY number")
        for _ in 1...2 {
            var numbers: [Int64] = []
            try statement.forEach(2) { row throws(SQLiteError) in
                numbers.append(row.integer(0))
                return true
            }
            #expect(numbers == [2, 3])
            numbers = []
            try statement.forEach(1) { row throws(SQLiteError) in
                numbers.append(row.integer(0))
                return numbers.count < 2
            }
            #expect(numbers == [1, 2])
            #expect(try statement.first(2) { $0.text(1) } == "y")
            #expect(try statement.first(4) { $0.text(1) } == nil)
        }
    }

    @Test func `what is bound once is not bound in the next run`() throws {
        let connection = try connection()
        try connection.execute("INSERT INTO a VALUES (1, 'x', NULL)")
        let statement = try connection.prepare("SELECT number FROM a WHERE number = ?")
        #expect(try statement.first(1) { $0.integer(0) } == 1)
        #expect(try statement.first { $0.integer(0) } == nil)
    }

    @Test func `a closure that throws ends the rows, and its error is thrown`() throws {
        let connection = try connection()
        try connection.execute("INSERT INTO a VALUES (1, 'x', NULL), (2, 'y', NULL)")
        let statement = try connection.prepare("SELECT number FROM a ORDER BY number")
        let refusal = SQLiteError(code: 7, message: "enough")
        #expect(throws: refusal) { try statement.forEach { _ throws(SQLiteError) in throw refusal } }
        #expect(throws: refusal) { try statement.first { _ throws(SQLiteError) in throw refusal } }
        #expect(try statement.first { $0.integer(0) } == 1)
    }

    @Test func `a statement is run to its last row`() throws {
        let connection = try connection()
        try connection.execute("CREATE TABLE b (x); INSERT INTO b VALUES (1), (-9223372036854775808)")
        let statement = try connection.prepare("SELECT abs(x) FROM b WHERE ? IS NOT 'none' ORDER BY rowid")
        #expect(try statement.first("any") { $0.integer(0) } == 1)
        let error = #expect(throws: SQLiteError.self) { try statement.run("any") }
        #expect(error?.message == "integer overflow")
        #expect(throws: SQLiteError.self) { try statement.run(lending: [1]) }
        try statement.run("none")
    }

    @Test func `a value that SQLite does not take is none, and the row is refused`() throws {
        let connection = try connection()
        let statement = try connection.prepare("INSERT INTO a (text) VALUES (?)")
        let error = #expect(throws: SQLiteError.self) { try statement.run("a", lending: [1]) }
        #expect(error?.code == 25)
        #expect(try connection.integer("SELECT count(*) FROM a") == 0)
        #expect(throws: SQLiteError.self) { try statement.first("a", "b") { $0.integer(0) } }
        #expect(throws: SQLiteError.self) {
            try statement.forEach("a", "b") { _ throws(SQLiteError) in true }
        }
        try statement.run("a")
        #expect(try connection.integer("SELECT count(*) FROM a") == 1)
    }

    @Test func `texts and bytes come back as they were, empty ones and none too`() throws {
        let connection = try connection()
        try connection.execute("CREATE TABLE b (x)")
        let statement = try connection.prepare("INSERT INTO b VALUES (?)")
        try statement.run("")
        try statement.run([] as [UInt8])
        try statement.run(lending: [])
        try statement.run(lending: [0, 255, 0])
        try statement.run("ü\u{0}x")
        try statement.run([97, 255, 98] as [UInt8])
        try statement.run()
        try statement.run(UInt64.max)
        try statement.run(-7)
        var rows: [String] = []
        try connection.prepare("SELECT typeof(x), x FROM b ORDER BY rowid").forEach {
            row throws(SQLiteError) in
            rows.append("\(row.text(0)) \(row.isNull(1)) \(row.bytes(1)) \(row.integer(1))")
            return true
        }
        #expect(
            rows == [
                "text false [] 0", "text false [] 0", "blob false [] 0", "blob false [0, 255, 0] 0",
                "text false [195, 188, 0, 120] 0", "text false [97, 255, 98] 0", "null true [] 0",
                "integer false [45, 49] -1", "integer false [45, 55] -7",
            ])
    }

    // MARK: - Errors

    @Test func `the system's number is that of the call that failed, not of one before`() throws {
        errno = ENOSPC
        let missing = #expect(throws: SQLiteError.self) {
            try SQLiteConnection(path: temporary("no/a.sqlite"), .writing)
        }
        #expect(missing?.primaryCode == 14)
        #expect(missing?.systemCode == ENOENT)
        let connection = try connection()
        let statement = try connection.prepare("INSERT INTO a VALUES (1, NULL, NULL)")
        // Within a transaction the system is not asked for anything.
        try connection.execute("BEGIN")
        try statement.run()
        errno = ENOSPC
        let refused = #expect(throws: SQLiteError.self) { try statement.run() }
        #expect(refused?.systemCode == 0)
        errno = ENOSPC
        let nowhere = #expect(throws: SQLiteError.self) {
            try SQLiteConnection(path: temporary("a.sqlite"), .writing, system: "no such system")
        }
        #expect(nowhere?.message == "no such vfs: no such system")
        #expect(nowhere?.systemCode == 0)
    }

    @Test func `an error knows whether it is about damage, or about tables`() {
        #expect(SQLiteError(code: 11, message: "").systemCode == 0)
        let damage = (0...30 as ClosedRange<Int32>).filter { SQLiteError(code: $0, message: "").isDamage }
        #expect(damage == [11, 26])
        #expect(SQLiteError(code: 11 | 1 << 8, message: "").isDamage)
        let foreign = (0...30 as ClosedRange<Int32>).filter {
            SQLiteError(code: $0, message: "").isForeignSchema
        }
        #expect(foreign == [1])
        #expect(SQLiteError(code: 1 | 2 << 8, message: "").primaryCode == 1)
    }

    @Test func `pages that are damaged are named, and others are not`() throws {
        let path = temporary("a.sqlite")
        do {
            let connection = try connection()
            #expect(try connection.damage(of: "a") == nil)
            try connection.execute("INSERT INTO a VALUES (1, 'x', NULL), (2, 'y', NULL), (3, 'z', NULL)")
        }
        var bytes = try FileSystem.read(path)
        // The second page is the table, of which the second row begins nowhere now.
        bytes.replaceSubrange(4_096 + 10..<4_096 + 12, with: [0xff, 0xff])
        try FileSystem.write(bytes, to: path)
        let found = try SQLiteConnection(path: path, .readingUnchanging).damage(of: "a")
        #expect(found?.contains("\n") == false)
        #expect(found?.isEmpty == false)
        #expect(found != "ok")
        #expect(throws: SQLiteError.self) {
            try SQLiteConnection(path: path, .readingUnchanging).damage(of: "a; nothing")
        }
    }

    // MARK: - Files

    @Test(arguments: ["plain.sqlite", "a b%c?d#e&f=g\u{7f}ü\t.sqlite", "A-Z_09.sqlite"])
    func `a file that nobody changes is read under any name, and none is made beside it`(name: String) throws
    {
        let path = temporary(name)
        do {
            let connection = try SQLiteConnection(path: path, .writing)
            try connection.execute("CREATE TABLE a (b); INSERT INTO a VALUES (5)")
        }
        let reader = try SQLiteConnection(path: path, .readingUnchanging)
        #expect(try reader.integer("SELECT b FROM a") == 5)
        #expect(throws: SQLiteError.self) { try reader.execute("DELETE FROM a") }
        #expect(FileSystem.names(in: temporary.path) == [name])
    }

    @Test func `whoever reads changes nothing, and makes no file`() throws {
        #expect(throws: SQLiteError.self) { try SQLiteConnection(path: temporary("none"), .reading) }
        #expect(!FileSystem.exists(temporary("none")))
        _ = try connection()
        let reader = try SQLiteConnection(path: temporary("a.sqlite"), .reading)
        #expect(throws: SQLiteError.self) { try reader.execute("DROP TABLE a") }
    }

    @Test func `the log is kept by who writes it back on purpose, and goes with any other program`() throws {
        let path = temporary("a.sqlite")
        do {
            let connection = try connection()
            #expect(connection.logPages == 0)
            try connection.execute("PRAGMA journal_mode = WAL; INSERT INTO a VALUES (1, 'x', NULL)")
            #expect(connection.logPages > 0)
            let pages = connection.logPages
            try connection.execute("INSERT INTO a VALUES (2, 'x', NULL)")
            #expect(connection.logPages > pages)
        }
        #expect(try !FileSystem.read(path + "-wal").isEmpty)
        do {
            let connection = try SQLiteConnection(path: path, .sharing)
            try connection.execute("INSERT INTO a VALUES (3, 'x', NULL)")
            #expect(connection.logPages == 0)
        }
        #expect(!FileSystem.exists(path + "-wal"))
        #expect(
            try SQLiteConnection(path: path, .readingUnchanging).integer("SELECT count(*) FROM a") == 3)
    }

    @Test func `what was written back is told in pages, and an emptied log has none`() throws {
        let connection = try connection()
        try connection.execute("PRAGMA journal_mode = WAL; INSERT INTO a VALUES (1, 'x', NULL)")
        let passive = try connection.checkpoint(isTruncating: false)
        #expect(passive.pages == connection.logPages)
        #expect(passive.written == passive.pages)
        #expect(try !FileSystem.read(temporary("a.sqlite-wal")).isEmpty)
        let truncating = try connection.checkpoint(isTruncating: true)
        #expect(truncating.pages <= 0)
        #expect(truncating.written <= 0)
        #expect(try FileSystem.read(temporary("a.sqlite-wal")).isEmpty)
    }

    @Test func `a reader that stays leaves the log as it is, and is no failure`() throws {
        let connection = try SQLiteConnection(path: temporary("a.sqlite"), .writing, busyTimeout: 1)
        try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE a (b)")
        let reader = try SQLiteConnection(path: temporary("a.sqlite"), .reading)
        try reader.execute("BEGIN; SELECT * FROM a")
        try connection.execute("INSERT INTO a VALUES (1)")
        let result = try connection.checkpoint(isTruncating: true)
        #expect(result.written < result.pages)
        #expect(try !FileSystem.read(temporary("a.sqlite-wal")).isEmpty)
    }

    @Test func `whoever finds the file held by another waits for its end`() throws {
        let connection = try connection()
        try connection.execute("BEGIN IMMEDIATE")
        let (path, failure) = (temporary("a.sqlite"), WaitingNote<SQLiteError?>())
        let thread = try WatchedThread {
            do throws(SQLiteError) {
                let other = try SQLiteConnection(path: path, .sharing, busyTimeout: 60_000)
                try other.execute("DELETE FROM a")
                failure.tell(nil)
            } catch {
                failure.tell(error)
            }
        }
        #expect(try thread.comesToSleep())
        try connection.execute("ROLLBACK")
        try thread.wait()
        #expect(failure.wait() == nil)
    }

    @Test func `a copy has all pages, and what cannot be copied is said`() throws {
        let connection = try connection()
        let text = String(repeating: "x", count: 20_000)
        for _ in 1...20 { try connection.prepare("INSERT INTO a (text) VALUES (?)").run(text) }
        let copy = try SQLiteConnection(path: temporary("b.sqlite"), .writing)
        try connection.copy(to: copy)
        #expect(try copy.integer("SELECT sum(length(text)) FROM a") == 400_000)
        #expect(try copy.integer("PRAGMA page_count") == connection.integer("PRAGMA page_count"))
        try copy.execute("BEGIN IMMEDIATE")
        errno = ENOSPC
        let busy = #expect(throws: SQLiteError.self) { try connection.copy(to: copy) }
        #expect(busy?.message == "destination database is in use")
        #expect(busy?.systemCode == 0)
        try copy.execute("ROLLBACK")
        let same = #expect(throws: SQLiteError.self) { try connection.copy(to: connection) }
        #expect(same?.message == "source and destination must be distinct")
    }

    @Test func `where there is no log nothing is synced`() throws {
        let connection = try connection()
        try connection.syncLog()
        try connection.execute("PRAGMA journal_mode = WAL; INSERT INTO a VALUES (1, 'x', NULL)")
        try connection.syncLog()
    }

    @Test func `a log is written once more as it is, and synced`() throws {
        let system = LossyDisk.register()
        let path = temporary("a.sqlite")
        let connection = try SQLiteConnection(path: path, .writing, system: system)
        try connection.rewriteLog()
        try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE a (b)")
        for index in 0..<3 {
            try connection.execute("INSERT INTO a VALUES (hex(randomblob(\(40_000 * index))))")
        }
        let bytes = try FileSystem.read(path + "-wal")
        let counts = [LossyDisk.Call.write, .sync].map { LossyDisk.count($0, of: path + "-wal") }
        try connection.rewriteLog()
        #expect(try FileSystem.read(path + "-wal") == bytes)
        // 64 KiB at a time.
        #expect(LossyDisk.count(.write, of: path + "-wal") == counts[0] + (bytes.count + 65_535) / 65_536)
        #expect(LossyDisk.count(.sync, of: path + "-wal") == counts[1] + 1)
        LossyDisk.fail(.write, of: path + "-wal", code: 778, system: EIO)
        errno = ENOSPC
        #expect(throws: SQLiteError(code: 778, message: "disk I/O error", systemCode: EIO)) {
            try connection.rewriteLog()
        }
        LossyDisk.heal(path + "-wal")
    }

    @Test func `a log that cannot be synced is said with the system's reason`() throws {
        let system = LossyDisk.register()
        let path = temporary("a.sqlite")
        let connection = try SQLiteConnection(path: path, .writing, system: system)
        try connection.execute("PRAGMA journal_mode = WAL; CREATE TABLE a (b)")
        let calls = LossyDisk.count(.sync, of: path + "-wal")
        try connection.syncLog()
        #expect(LossyDisk.count(.sync, of: path + "-wal") == calls + 1)
        LossyDisk.fail(.sync, of: path + "-wal", code: 1_034, system: EIO)
        errno = ENOSPC
        #expect(throws: SQLiteError(code: 1_034, message: "disk I/O error", systemCode: EIO)) {
            try connection.syncLog()
        }
        LossyDisk.fail(.write, of: path, code: 778, system: EIO)
        errno = ENOSPC
        let failure = #expect(throws: SQLiteError.self) { try connection.checkpoint(isTruncating: true) }
        #expect(failure?.systemCode == EIO)
        LossyDisk.heal(path)
        LossyDisk.heal(path + "-wal")
    }
}
