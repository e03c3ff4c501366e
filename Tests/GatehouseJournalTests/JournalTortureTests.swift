// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Glibc
import SeededTesting
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// A small journal that a crash has left, with bits that turned, files that were cut off and files that are gone: each start has all
/// that was promised, or refuses with the numbers.
///
/// `GATEHOUSE_FLIPS` says how many bits turn, one at a time; `GATEHOUSE_SEED` which. `make torture-damage` turns 200 in each file.
/// `GATEHOUSE_HOSTILE_JOURNALS` says how many are changed by somebody who knows how a journal is made; 2,000 in `make attack`.
@Suite(.timeLimit(.minutes(120))) struct JournalTortureTests {
    /// Where the remains are damaged.
    private let temporary: TemporaryFolder
    /// The seed of chance.
    private let seed: UInt64
    /// How many bits turn in each file.
    private let flips: Int

    init() throws {
        temporary = try TemporaryFolder()
        let variables = ProcessVariables()
        seed = variables["GATEHOUSE_SEED"] ?? UInt64.random(in: 0..<(1 << 32))
        flips = Int(variables["GATEHOUSE_FLIPS"] ?? 12)
    }

    /// The files of a journal.
    private static let names = ["journal.promise", "journal.sqlite", "journal.sqlite-wal"]

    /// What a crash has left: the files, and what they must have.
    private struct Remains {
        /// The bytes of the files, by name.
        var files: [String: [UInt8]] = [:]
        /// What was acknowledged.
        var history: JournalHistory
        /// The state after each action that was followed by a snapshot.
        var snapshots: [UInt64: SavedState] = [:]
        /// The names of inputs.
        var names: Set<String> = []
    }

    /// A state.
    private static func content(_ sequence: UInt64) -> SavedState {
        let entry = { (id: String) in
            SavedState.Entry(
                plugin: id, digest: "ab12", pointer: JSONPointer(tokens: [id]),
                state: VersionedState(version: 1, value: ["last": Value(Int(sequence))]), gate: "active",
                position: .active)
        }
        return SavedState(
            configured: [:], plain: [:], kept: [:], entries: ["a": entry("a"), "b": entry("b")])
    }

    /// Lets two hosts write, the first of which ends in order, and takes what the death of the second would leave.
    private func remains() throws -> Remains {
        var remains = Remains(history: JournalHistory(seed: seed))
        let folder = temporary("journal")
        for round in 0..<2 {
            let writer = try JournalWriter(folder: folder)
            for number in 0..<12 {
                let batch = remains.history.batch(inputs: 12, passes: 10)
                for input in batch.inputs { if let id = input.id { remains.names.insert(id) } }
                try writer.commit(batch)
                let sequence = remains.history.nextSequence - 1
                guard number == 2 || number == 7 || (round == 0 && number == 11) else { continue }
                remains.snapshots[sequence] = Self.content(sequence)
                writer.write(
                    JournalSnapshot(sequence: sequence, generation: 1) { () throws(CodingFailure) in
                        Self.content(sequence)
                    })
            }
            if round == 1 {
                // The snapshots are on their way; whatever is there of them now is what the crash leaves.
                for name in Self.names { remains.files[name] = try FileSystem.read(folder + "/" + name) }
            }
            writer.close()
        }
        return remains
    }

    /// Lets a host start on some files.
    ///
    /// - Returns: why it does not; nil where it does, and has everything.
    private func start(on files: [String: [UInt8]], _ remains: Remains, _ place: Comment) throws -> String? {
        let folder = try temporary.makeFolder("damaged")
        defer { FileSystem.removeFolder(folder) }
        for (name, bytes) in files { try FileSystem.write(bytes, to: folder + "/" + name, mode: 0o600) }
        let writer: JournalWriter
        do throws(JournalFailure) {
            writer = try JournalWriter(folder: folder)
        } catch {
            return error.description.replacing(folder, with: "")
        }
        defer { writer.close() }
        let history = remains.history
        do throws(JournalFailure) {
            #expect(writer.start.sequence == history.nextSequence, place)
            #expect(writer.start.input == history.nextInput, place)
            #expect(writer.start.effect == history.nextEffect, place)
            let ids = try writer.ids()
            for name in remains.names { #expect(!ids.insert(name), place) }
            let reader = try PastWalk(folder: folder, acceptsLoss: false).reader
            let open = try reader.openInputs()
            if let damage = open.damage.first {
                throw JournalFailure(reader.path, .reading, .damaged(damage))
            }
            #expect(open.inputs == history.open.sorted { $0.number < $1.number }, place)
            #expect(
                try reader.runningEffects().map(\.key)
                    == history.running.sorted { $0.number < $1.number }.map(\.key), place)
            let snapshot = try reader.snapshots().good.first
            let sequence = snapshot?.sequence ?? 0
            #expect(snapshot?.content == remains.snapshots[sequence], place)
            let cursor = try reader.wholeRecords(from: sequence + 1)
            var found: [[UInt8]] = []
            while let item = try cursor.next() {
                switch item {
                case .record(let record): found.append(record.bytes)
                case .damage(let damage): throw JournalFailure(reader.path, .reading, .damaged(damage))
                }
            }
            #expect(found == history.records.filter { $0.sequence > sequence }.map(\.bytes), place)
            // A restart that follows has it too.
            try writer.commit(JournalBatch(generation: 1, firstSequence: history.nextSequence))
        } catch {
            return error.description.replacing(folder, with: "")
        }
        return nil
    }

    /// Expects that a start has everything, or says what is missing.
    private func expectSafety(on files: [String: [UInt8]], _ remains: Remains, _ words: String) throws -> Bool
    {
        let place: Comment = "seed \(seed), \(words)"
        guard let refusal = try start(on: files, remains, place) else { return true }
        #expect(refusal.hasPrefix("/journal.sqlite: the journal cannot be "), "\(place): \(refusal)")
        // SQLite does not say which row a page that it cannot read belongs to.
        #expect(
            refusal.contains(
                /(action|actions|batch|input|opening|record|generation|snapshot after action) \d/)
                || refusal.contains("journal.promise")
                || refusal.hasSuffix(
                    "database disk image is malformed; restore a backup of the folder, or move it away to start from scratch"
                ),
            "\(place): \(refusal)")
        return false
    }

    @Test func `what a crash has left is whole`() throws {
        let remains = try remains()
        #expect(try start(on: remains.files, remains, "seed \(seed)") == nil)
    }

    @Test(arguments: Self.names) func `after a bit has turned a start has everything or says what is missing`(
        name: String
    )
        throws
    {
        let remains = try remains()
        var generator = SeededGenerator(seed: seed)
        let sound = try #require(remains.files[name])
        for number in 0..<flips {
            var place = Int.random(in: 0..<sound.count, using: &generator)
            // Every other one at the beginning of a page, which says what rows are in it.
            if number % 2 == 1 {
                place = min(
                    place / 4_096 * 4_096 + Int.random(in: 0..<24, using: &generator), sound.count - 1)
            }
            let bit = UInt8.random(in: 0..<8, using: &generator)
            var files = remains.files
            files[name]?[place] ^= 1 << bit
            _ = try expectSafety(on: files, remains, "\(name), byte \(place), bit \(bit)")
        }
    }

    @Test func `after a cut at a page a start has everything or says what is missing`() throws {
        let remains = try remains()
        var refusals = 0
        for (name, unit, head) in [("journal.sqlite", 4_096, 0), ("journal.sqlite-wal", 4_120, 32)] {
            let sound = try #require(remains.files[name])
            let pages = (sound.count - head) / unit
            // A sample where only a few bits turn too.
            let step = flips < 200 ? max(1, pages / flips) : 1
            for page in stride(from: 0, to: pages, by: step) {
                var files = remains.files
                files[name] = Array(sound[..<(head + page * unit)])
                if try !expectSafety(on: files, remains, "\(name) cut to \(page) pages") { refusals += 1 }
            }
        }
        // What the end of the log held may have been a snapshot alone, and was not promised.
        #expect(refusals > 1, "seed \(seed)")
    }

    @Test func `after rows, tables or pages were changed a start has everything or says what is missing`()
        throws
    {
        let remains = try remains()
        let count = Int(ProcessVariables()["GATEHOUSE_HOSTILE_JOURNALS"] ?? 45)
        var refusals = 0
        for number in 0..<count {
            var generator = SeededGenerator(seed: seed &+ UInt64(number))
            let words: String
            let files: [String: [UInt8]]
            switch number % 3 {
            case 0: (files, words) = try changed(remains.files, by: rowChange(&generator))
            case 1: (files, words) = try changed(remains.files, by: tableChange(&generator))
            default: (files, words) = pageChange(remains.files, &generator)
            }
            let place: Comment = "seed \(seed &+ UInt64(number)), kind \(number % 3): \(words)"
            if let refusal = try start(on: files, remains, place) {
                refusals += 1
                #expect(refusal.hasPrefix("/journal.sqlite: the journal cannot be "), "\(place): \(refusal)")
                #expect(refusal.utf8.count > 60, "\(place): \(refusal)")
            }
        }
        #expect(refusals > count / 4, "\(refusals) of \(count), seed \(seed)")
    }

    // MARK: - Changes by somebody who knows how a journal is made

    /// Files after somebody has run a statement on their journal, and the statement; unchanged where SQLite refuses it.
    private func changed(
        _ files: [String: [UInt8]], by sql: String
    ) throws -> (files: [String: [UInt8]], words: String) {
        let folder = try temporary.makeFolder("changed")
        defer { FileSystem.removeFolder(folder) }
        for (name, bytes) in files { try FileSystem.write(bytes, to: folder + "/" + name, mode: 0o600) }
        do {
            try SQLiteConnection(path: folder + "/journal.sqlite", .writing).execute(sql)
        } catch {
            return (files, "refused \(sql)")
        }
        var changed: [String: [UInt8]] = [:]
        for name in Self.names { changed[name] = try? FileSystem.read(folder + "/" + name) }
        return (changed, sql)
    }

    /// A statement that changes a row, or takes it away.
    private func rowChange(_ generator: inout SeededGenerator) -> String {
        let (table, columns) = StrangeJournalTests.columns.randomElement(using: &generator) ?? ("", [])
        let column = columns.randomElement(using: &generator) ?? ""
        let row = { (generator: inout SeededGenerator) in
            "(SELECT rowid FROM \(table) ORDER BY rowid LIMIT 1 OFFSET \(Int.random(in: 0..<12, using: &generator)))"
        }
        let value: String
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: value = "\(Int64.random(in: .min ... .max, using: &generator))"
        case 1: value = "\(Int64.random(in: -2...30, using: &generator))"
        case 2:
            value =
                [
                    "-9223372036854775808", "9223372036854775807", "9e999", "NULL", "'a'", "x'00'",
                    "zeroblob(100000)",
                ]
                .randomElement(using: &generator) ?? ""
        case 3: value = "(SELECT \(column) FROM \(table) WHERE rowid = \(row(&generator)))"
        case 4: value = "\(column) + \([-1, 1].randomElement(using: &generator) ?? 1)"
        default:
            // What writers have called their inputs is forgotten in time, so that a row less says nothing.
            guard table != "seen" else { return "DELETE FROM batch WHERE rowid = \(row(&generator))" }
            return "DELETE FROM \(table) WHERE rowid = \(row(&generator))"
        }
        return "UPDATE OR REPLACE \(table) SET \(column) = \(value) WHERE rowid = \(row(&generator))"
    }

    /// A statement that changes what tables there are, and what they do.
    private func tableChange(_ generator: inout SeededGenerator) -> String {
        let tables = StrangeJournalTests.columns.keys.sorted()
        let table = tables.randomElement(using: &generator) ?? ""
        let other = tables.randomElement(using: &generator) ?? ""
        let column = StrangeJournalTests.columns[table]?.randomElement(using: &generator) ?? ""
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
        return [
            "CREATE TRIGGER t AFTER INSERT ON \(table) BEGIN DELETE FROM \(other); END",
            "CREATE TRIGGER t BEFORE UPDATE ON \(table) BEGIN SELECT RAISE(IGNORE); END",
            "ALTER TABLE \(table) RENAME TO gone; CREATE VIEW \(table) AS \(endless)",
            "ALTER TABLE \(table) RENAME TO gone; CREATE VIEW \(table) AS SELECT * FROM gone",
            "ALTER TABLE \(table) RENAME COLUMN \(column) TO other",
            "ALTER TABLE \(table) ADD COLUMN more AS (abs(-9223372036854775808))",
            "ALTER TABLE \(table) DROP COLUMN \(column)",
            "CREATE INDEX more ON \(table) (abs(\(column)))", "DROP TABLE \(table)",
            "DROP TABLE \(table); CREATE TABLE \(table) (\(column))", "DROP INDEX sliceOfSnapshot",
            "CREATE TABLE \(table)2 AS SELECT * FROM \(table)", "DELETE FROM batch", "DELETE FROM epoch",
            "PRAGMA user_version = \(Int32.random(in: -2...6, using: &generator))",
            "PRAGMA application_id = \(Int32.random(in: .min ... .max, using: &generator))",
            "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM",
            "PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = FULL; VACUUM",
        ].randomElement(using: &generator) ?? ""
    }

    /// Files with some bytes of a page written over, or pages in each other's place, and what was done.
    private func pageChange(
        _ files: [String: [UInt8]], _ generator: inout SeededGenerator
    ) -> (files: [String: [UInt8]], words: String) {
        var files = files
        let name =
            ["journal.sqlite", "journal.sqlite", "journal.sqlite-wal"].randomElement(using: &generator) ?? ""
        guard var bytes = files[name] else { return (files, "none") }
        let (unit, head) = name.hasSuffix("-wal") ? (4_120, 32) : (4_096, 0)
        let pages = (bytes.count - head) / unit
        let start = { (generator: inout SeededGenerator) in
            head + unit * Int.random(in: 0..<pages, using: &generator)
        }
        let page = start(&generator)
        var words = "\(name), page at \(page)"
        switch Int.random(in: 0..<4, using: &generator) {
        case 0:
            let first = page + Int.random(in: 0..<(unit - 64), using: &generator)
            for place in first..<first + Int.random(in: 1...64, using: &generator) {
                bytes[place] = .random(in: .min ... .max, using: &generator)
            }
            words += ": bytes from \(first)"
        case 1:
            // What says how a page is laid out, and where its cells are.
            for _ in 0..<4 {
                bytes[page + Int.random(in: 0..<128, using: &generator)] = .random(
                    in: .min ... .max, using: &generator)
            }
            words += ": its head"
        case 2:
            let other = start(&generator)
            for place in 0..<unit { bytes.swapAt(page + place, other + place) }
            words += ": in the place of that at \(other)"
        default:
            for place in page..<page + unit { bytes[place] = 0 }
            words += ": of zeros"
        }
        files[name] = bytes
        return (files, words)
    }

    @Test(arguments: Self.names) func `without one of its files a journal is refused`(name: String) throws {
        let remains = try remains()
        var files = remains.files
        files[name] = nil
        #expect(try !expectSafety(on: files, remains, "without \(name)"))
    }
}

/// The numbers in variables of the environment.
private struct ProcessVariables {
    /// The number in a variable; nil where there is none.
    subscript(name: String) -> UInt64? { SystemFile.variable(name).flatMap { UInt64($0) } }
}
