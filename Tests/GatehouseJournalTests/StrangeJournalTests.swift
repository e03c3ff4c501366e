// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan

/// Journals that somebody has changed on purpose: nothing in a file acts, no number in it stops a host, and no batch takes another's place.
@Suite(.timeLimit(.minutes(10))) struct StrangeJournalTests {
    /// The tables of a journal, and their columns of numbers.
    static let columns = [
        "batch": ["id", "first", "count", "input", "effect", "open", "time"],
        "snapshot": ["id", "sequence", "epoch", "generation", "batch", "floor", "time", "isGood"],
        "slice": ["id", "snapshot"], "seen": ["input", "time", "checksum"], "dead": ["id"],
        "epoch": ["number", "began", "ended"], "generation": ["id", "epoch", "number", "after", "time"],
    ]

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

    /// Writes five batches of an action each, a snapshot, a name, a dead letter, and an input that is not done.
    private func write(_ letter: String = "a") throws {
        let writer = try JournalWriter(folder: folder)
        for number in 1...5 as ClosedRange<UInt64> {
            let source = ActionSource(file: "in", function: "", line: UInt(number), info: nil)
            var batch = JournalBatch(generation: 1, firstSequence: number)
            batch.inputs = [
                JournalInput(
                    number: number, source: source, line: Array(#"{"type":"\#(letter)"}"#.utf8),
                    id: "id-\(number)")
            ]
            batch.entries = [
                JournalEntry(action: nil, source: source.caused(by: ActionCause(.input, number)), time: nil)
            ]
            if number < 5 { batch.done = [number] }
            try writer.commit(batch)
        }
        writer.write(
            JournalSnapshot(sequence: 3, generation: 1) { () throws(CodingFailure) in
                SavedState(
                    configured: [:], plain: [:], kept: [:],
                    entries: [
                        "counter": SavedState.Entry(
                            plugin: "counter", digest: nil, pointer: JSONPointer(tokens: ["counter"]),
                            state: nil, gate: "active", position: nil)
                    ])
            })
        var buried = DeadLetter(
            .failed, type: letter, action: Array(#"{"type":"a"}"#.utf8),
            from: ActionSource(file: "in", function: "", line: 1, info: nil), instance: nil, sequence: 1,
            time: 0, reason: "it failed")
        buried.id = 1
        writer.bury(buried)
        writer.close()
    }

    /// Changes the journal's file as somebody else would, with all that SQLite can do.
    private func tamper(_ sql: String) throws {
        let connection = try SQLiteConnection(path: path, .writing)
        try connection.execute(sql)
    }

    /// What a host says that is started on the journal.
    private func refusal() throws -> String? {
        do throws(JournalFailure) {
            try JournalWriter(folder: folder).close()
            return nil
        } catch {
            return "\(error)"
        }
    }

    // MARK: - The schema

    @Test(arguments: [
        (
            "CREATE TRIGGER forget AFTER INSERT ON batch BEGIN DELETE FROM batch WHERE id = new.id; END",
            "it has the trigger forget of batch, which no host creates"
        ),
        (
            "ALTER TABLE seen RENAME TO old; CREATE VIEW seen AS SELECT * FROM old",
            "it has the table old, which no host creates, the table seen is missing, it has the view seen, which no host creates"
        ),
        (
            "DROP TABLE dead; CREATE VIEW dead AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, x'' AS content FROM n",
            "the table dead is missing, it has the view dead, which no host creates"
        ),
        ("CREATE INDEX more ON batch (first)", "it has the index more of batch, which no host creates"),
        ("DROP INDEX sliceOfSnapshot", "the index sliceOfSnapshot of slice is missing"),
        ("CREATE TABLE more (a)", "it has the table more, which no host creates"),
        ("DROP TABLE batch", "the table batch is missing"),
        (
            "ALTER TABLE batch RENAME COLUMN content TO matter",
            "the table batch differs from what a host creates"
        ),
        (
            "DROP TABLE epoch; CREATE TABLE epoch (number INTEGER PRIMARY KEY, began REAL, ended REAL, host TEXT, name TEXT, more AS (abs(number)))",
            "the table epoch differs from what a host creates"
        ),
    ])
    func `tables that are not those of a journal are refused`(sql: String, words: String) throws {
        try write()
        try tamper(sql)
        let rest = "\(words); restore a backup of the folder, or move it away to start from scratch"
        let reading = #expect(throws: JournalFailure.self) { try JournalReader(folder: folder) }
        #expect(reading?.description == "\(path): the journal cannot be read: \(rest)")
        #expect(try #require(try refusal()).contains(words))
    }

    @Test func `statistics that somebody has SQLite make are of no matter`() throws {
        try write()
        try tamper("ANALYZE")
        #expect(try refusal() == nil)
    }

    @Test func `no trigger fires, and no view answers`() throws {
        let connection = try SQLiteConnection(path: temporary("any.sqlite"), .writing)
        try connection.execute(
            "CREATE TABLE a (b); CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM a; END; CREATE VIEW v AS SELECT 1; INSERT INTO a VALUES (1)"
        )
        #expect(try connection.integer("SELECT count(*) FROM a") == 1)
        #expect(throws: SQLiteError.self) { try connection.integer("SELECT * FROM v") }
    }

    // MARK: - Numbers

    @Test(arguments: [
        ("batch", "id"), ("snapshot", "id"), ("slice", "id"), ("seen", "input"), ("dead", "id"),
        ("epoch", "number"),
    ])
    func `numbers that no host gives are refused`(table: String, column: String) throws {
        try write()
        for number in [Int64.min, -1, 1 << 53 + 1, .max] {
            let row =
                try SQLiteConnection(path: path, .writing).integer("SELECT min(\(column)) FROM \(table)") ?? 1
            try tamper("UPDATE OR REPLACE \(table) SET \(column) = \(number) WHERE \(column) = \(row)")
            #expect(
                try #require(try refusal()).contains(
                    "the table \(table) has a row with the number \(number), which no host assigns"))
            try tamper("UPDATE \(table) SET \(column) = \(row) WHERE \(column) = \(number)")
        }
        #expect(try refusal() == nil)
    }

    @Test func `no number in any column stops a start or a look back`() throws {
        try write()
        let sound = try FileSystem.read(path)
        for (table, names) in Self.columns {
            for name in names {
                for number in [
                    "-9223372036854775808", "-1", "0", "9007199254740993", "9223372036854775807", "9e999",
                    "'a'", "x'00'",
                ] {
                    try FileSystem.write(sound, to: path)
                    // What a table does not take, nobody can write into it.
                    do { try tamper("UPDATE OR REPLACE \(table) SET \(name) = \(number)") } catch { continue }
                    do {
                        let reader = try JournalReader(folder: folder)
                        _ = try reader.items()
                        _ = try reader.snapshots()
                        _ = try reader.openInputs()
                        _ = try reader.openNumbers()
                        _ = try reader.runningEffects()
                        _ = try reader.deadLetters()
                    } catch {
                        #expect("\(error)".hasPrefix(path))
                    }
                    do {
                        var options = JournalWriter.Options()
                        options.acceptsLoss = true
                        try JournalWriter(folder: folder, options).close()
                    } catch {
                        #expect("\(error)".hasPrefix(path))
                    }
                }
            }
        }
    }

    // MARK: - Whole rows

    @Test func `a batch of another journal is no batch of this one`() throws {
        try write("b")
        let other = temporary("other.sqlite")
        try FileSystem.write(FileSystem.read(path), to: other)
        for name in FileSystem.names(in: folder) { FileSystem.remove(folder + "/" + name) }
        try write()
        try tamper(
            "ATTACH '\(other)' AS other; UPDATE batch SET content = (SELECT content FROM other.batch AS o WHERE o.id = batch.id), time = (SELECT time FROM other.batch AS o WHERE o.id = batch.id) WHERE id = 3"
        )
        var damage: [String] = []
        for item in try JournalReader(folder: folder).items() {
            if case .damage(let found) = item { damage.append("\(found)") }
        }
        #expect(
            damage == [
                "action 3 of the journal cannot be read: it was written after another batch 2 than the one that is there"
            ])
    }

    @Test func `a dead letter with another's number is no letter`() throws {
        try write()
        #expect(try JournalReader(folder: folder).deadLetters().letters.count == 1)
        try tamper("UPDATE dead SET id = 7")
        let found = try JournalReader(folder: folder).deadLetters()
        #expect(found.letters.isEmpty)
        #expect(found.damaged == [7])
    }

    // MARK: - Who may write

    @Test(arguments: ["journal.sqlite", "journal.promise"])
    func `a journal that others may write to is refused`(name: String) throws {
        try write()
        try FileSystem.setMode(0o666, of: folder + "/" + name)
        #expect(
            try refusal()
                == "\(path): the journal cannot be opened: \(folder)/\(name): everybody may write to it (mode 666); take that away with chmod o-w; make sure that nobody else has changed it"
        )
    }
}
