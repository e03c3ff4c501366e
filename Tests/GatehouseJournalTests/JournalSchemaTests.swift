// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Glibc
import Testing

@testable import GatehouseJournal

/// How a journal's file is made, and what is done to an older one when it is opened.
@Suite(.timeLimit(.minutes(10))) struct JournalSchemaTests {
    /// The journal's file.
    private let path: String
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        path = temporary("journal.sqlite")
    }

    /// Opens the journal for writing.
    private func open(isStrict: Bool = true) throws -> SQLiteConnection {
        try JournalSchema.openForWriting(path, isStrict: isStrict, system: nil)
    }

    /// Makes a journal, and changes it into what older versions have made.
    private func make(form: Int) throws {
        let first = "DROP TABLE generation; ALTER TABLE seen DROP COLUMN checksum;"
        try open().execute("\(form == 1 ? first : "") PRAGMA user_version = \(form)")
    }

    @Test func `a new journal is the owner's alone, has form 4, and a log`() throws {
        let connection = try open()
        #expect(try FileSystem.mode(of: path) == 0o600)
        #expect(try connection.integer("PRAGMA application_id") == 0x4748_4A31)
        #expect(try connection.integer("PRAGMA user_version") == 4)
        #expect(try FileSystem.mode(of: path + "-wal") == 0o600)
        #expect(try connection.prepare("PRAGMA journal_mode").first { $0.text(0) } == "wal")
    }

    @Test func `in strict mode each commit is synced, in relaxed mode the log later`() throws {
        #expect(try open(isStrict: true).integer("PRAGMA synchronous") == 2)
        #expect(try open(isStrict: false).integer("PRAGMA synchronous") == 1)
    }

    @Test(arguments: [1, 2, 3, 4])
    func `whoever decides about a journal is told its form before it is changed`(form: Int64) throws {
        try make(form: Int(form))
        let refusal = JournalFailure(path, .opening, .closed)
        var forms: [Int64] = []
        #expect(throws: refusal) {
            try JournalSchema.openForWriting(path, isStrict: true, system: nil) {
                connection, form throws(JournalFailure) in
                forms.append(form)
                throw refusal
            }
        }
        #expect(forms == [form])
        let before = try SQLiteConnection(path: path, .reading)
        #expect(try before.integer("PRAGMA user_version") == form)
        #expect(try JournalSchema.hasGenerations(before) == (form > 1))
        let after = try open()
        #expect(try after.integer("PRAGMA user_version") == 4)
        #expect(try JournalSchema.hasGenerations(after))
        #expect(try after.integer("SELECT count(*) FROM generation") == 0)
        #expect(try after.integer("SELECT count(checksum) FROM seen") == 0)
    }

    @Test func `of older forms only the first was not the owner's alone`() throws {
        for form in 1...3 {
            try make(form: form)
            try FileSystem.setMode(0o644, of: path)
            _ = try open()
            #expect(try FileSystem.mode(of: path) == (form == 1 ? 0o600 : 0o644))
        }
    }

    @Test func `another program's file is no journal, also one without tables`() throws {
        let other = try SQLiteConnection(path: path, .writing)
        try other.execute("PRAGMA application_id = 5")
        #expect(throws: JournalFailure(path, .opening, .foreign)) { try open() }
        #expect(throws: JournalFailure(path, .reading, .foreign)) {
            try JournalSchema.openForReading(path)
        }
        try other.execute("PRAGMA application_id = 0; CREATE TABLE a (b)")
        #expect(throws: JournalFailure(path, .opening, .foreign)) { try open() }
        #expect(try other.integer("SELECT count(*) FROM sqlite_schema") == 1)
        try other.execute("DROP TABLE a")
        #expect(try open().integer("PRAGMA user_version") == 4)
    }

    @Test func `a journal is not made where there is no folder, and not by reading`() throws {
        let missing = temporary("no/journal.sqlite")
        #expect(
            throws: JournalFailure(missing, .opening, .system(call: "open \(missing)", code: ENOENT))
        ) { try JournalSchema.openForWriting(missing, isStrict: true, system: nil) }
        #expect(throws: JournalFailure(path, .reading, .missing)) { try JournalSchema.openForReading(path) }
        #expect(!FileSystem.exists(path))
    }

    @Test func `a file that can be opened and is damaged is told as that`() throws {
        try make(form: 4)
        _ = try open().checkpoint(isTruncating: true)
        var bytes = try FileSystem.read(path)
        bytes.replaceSubrange(100..<108, with: Array(repeating: 0xff, count: 8))
        try FileSystem.write(bytes, to: path)
        let failure = #expect(throws: JournalFailure.self) { try JournalSchema.openForReading(path) }
        guard case .database(let error)? = failure?.reason else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(error.isDamage)
    }

    @Test func `the least and the greatest number of a row are some that a host gives`() throws {
        let limit = JournalNumbers.limit
        try open().execute(
            """
            INSERT INTO dead VALUES (0, x'00'), (\(limit), x'00');
            INSERT INTO seen VALUES (0, 'a', 0, 0), (\(limit), 'b', 0, 0);
            INSERT INTO generation VALUES (0, 1, 1, 0, 0, x'00'), (\(limit), 1, 1, 0, 0, x'00')
            """)
        #expect(try JournalShape.strangeRows(SQLiteConnection(path: path, .reading), form: 4).isEmpty)
        try open().execute("UPDATE generation SET id = \(limit + 1) WHERE id = \(limit)")
        let connection = try SQLiteConnection(path: path, .reading)
        let words =
            "the table generation has a row with the number \(limit + 1), which no host assigns"
        #expect(JournalShape.strangeRows(connection, form: 4) == [words])
        #expect(JournalShape.strangeRows(connection, form: 2) == [words])
        #expect(JournalShape.strangeRows(connection, form: 1) == [])
        #expect(throws: JournalFailure(path, .reading, .strange([words]))) {
            try JournalSchema.openForReading(path)
        }
    }

    @Test func `each part of the schema is compared by kind, name and statement, not by spaces`() throws {
        func shape(_ sql: String) throws -> JournalShape {
            let connection = try SQLiteConnection(path: ":memory:", .writing)
            try connection.execute(sql)
            return try JournalShape(of: connection)
        }
        let sound = try shape("CREATE TABLE a (b); CREATE INDEX i ON a (b); CREATE TABLE c (d)")
        #expect(
            try shape("CREATE TABLE a\n(b); CREATE  INDEX i ON a (b); CREATE TABLE c (d)")
                .differences(from: sound) == [])
        #expect(
            try shape("CREATE TABLE a (b, x); CREATE TABLE c (d); CREATE TABLE e (f)")
                .differences(from: sound) == [
                    "the index i of a is missing", "the table a differs from what a host creates",
                    "it has the table e, which no host creates",
                ])
        #expect(
            try shape("CREATE TABLE a (b); CREATE INDEX i ON a (b DESC)").differences(from: sound) == [
                "the index i of a differs from what a host creates", "the table c is missing",
            ])
    }

    // MARK: - Values

    @Test func `a value has a checksum, and is what the checksum says`() throws {
        let bytes = CheckedBlob.bytes(of: [:])
        #expect(try CheckedBlob.value(of: bytes) == [:])
        func mistake(_ bytes: [UInt8], with columns: [UInt8] = []) -> String? {
            let mistake = #expect(throws: CheckedBlob.Mistake.self) {
                try CheckedBlob.value(of: bytes, with: columns)
            }
            return mistake?.description
        }
        #expect(mistake([]) == "expected a checksum, found 0 bytes")
        #expect(mistake([1, 2, 3]) == "expected a checksum, found 3 bytes")
        #expect(mistake([1, 2, 3, 4]) == "expected another checksum of its 0 bytes")
        #expect(mistake(Array(bytes.dropLast()) + [0]) == "expected another checksum of its 2 bytes")
        // Nothing is no JSON.
        #expect(mistake([0, 0, 0, 0])?.hasPrefix("expected another checksum") == false)
        let sealed = CheckedBlob.seal(bytes, with: [1])
        #expect(try CheckedBlob.value(of: sealed, with: [1]) == [:])
        #expect(mistake(sealed, with: [2]) == "expected another checksum of its 2 bytes")
        #expect(mistake(sealed) == "expected another checksum of its 2 bytes")
        // One of an older form covers no columns.
        #expect(try CheckedBlob.value(of: bytes, with: [1]) == [:])
    }
}
