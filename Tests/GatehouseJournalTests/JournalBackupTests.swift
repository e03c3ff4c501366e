// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Glibc
import SeededTesting
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseSupport

/// Copies of a journal: whole, made beside the host, and never of something that is damaged.
@Suite(.timeLimit(.minutes(10))) struct JournalBackupTests {
    /// A journal's folder.
    private let folder: String
    /// Where the copy goes.
    private let target: String
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = temporary("journal")
        target = try temporary.makeFolder("copy") + "/journal.sqlite"
    }

    @Test func `a copy holds what was committed, while the host goes on`() throws {
        var history = JournalHistory(seed: 1)
        let writer = try JournalWriter(folder: folder)
        for _ in 0..<20 { try writer.commit(history.batch(inputs: 20, passes: 15)) }
        let moment = history
        let backup = try JournalBackup(of: folder, to: target)
        try writer.commit(history.batch(inputs: 20, passes: 15))
        writer.close()
        #expect(backup.actions == 1...(moment.nextSequence - 1))
        #expect(try FileSystem.read(target).count == backup.bytes)
        let copy = temporary("copy")
        #expect(FileSystem.names(in: copy) == ["journal.sqlite"])
        #expect(try FileSystem.mode(of: target) == 0o600)
        #expect(try JournalReader(folder: copy).plainRecords() == moment.records)
        #expect(try JournalReader(folder: copy).openInputs().inputs.count == moment.open.count)
        // A host goes on with it.
        _ = try JournalRestore(of: target, into: temporary("next"))
        let next = try JournalWriter(folder: temporary("next"))
        #expect(next.start.sequence == moment.nextSequence)
        next.close()
    }

    @Test func `actions whose inputs were too old to stay are gone with them, and are no damage`() throws {
        var history = JournalHistory(seed: 1)
        let writer = try JournalWriter(folder: folder)
        // Each batch has passes of the one before.
        for _ in 0..<10 { try writer.commit(history.batch(inputs: 20, passes: 15)) }
        writer.close()
        let all = try JournalReader(folder: folder).plainRecords()
        try SQLiteConnection(path: folder + "/journal.sqlite", .writing)
            .execute("DELETE FROM batch WHERE id < 5; PRAGMA wal_checkpoint(TRUNCATE)")
        let reader = try JournalReader(folder: folder)
        let kept = try #require(try reader.bounds())
        let backup = try JournalBackup(of: folder, to: target)
        let left = try JournalReader(folder: temporary("copy")).plainRecords()
        #expect(left.count < kept.count)
        #expect(left.count > kept.count - 20)
        #expect(all.suffix(kept.count).filter { left.contains($0) } == left)
        #expect(try #require(backup.actions).upperBound == kept.upperBound)
        // A restart needs all of them.
        let cursor = try reader.wholeRecords(from: kept.lowerBound)
        var damage: [JournalDamage.Kind] = []
        while let item = try cursor.next() {
            if case .damage(let found) = item { damage.append(found.kind) }
        }
        #expect(damage.count == kept.count - left.count)
        #expect(
            Set(damage.map { "\($0)" }) == [
                "\(JournalDamage.Kind.changed("the input that it was cannot be found"))"
            ])
    }

    @Test func `an empty journal can be copied`() throws {
        try JournalWriter(folder: folder).close()
        #expect(try JournalBackup(of: folder, to: target).actions == nil)
    }

    @Test func `nothing is replaced`() throws {
        try JournalWriter(folder: folder).close()
        try FileSystem.write([1, 2, 3], to: target)
        let failure = #expect(throws: JournalBackup.Failure.self) {
            try JournalBackup(of: folder, to: target)
        }
        #expect(
            failure?.description == "\(target): a file exists already; name another one, or remove it")
        #expect(try FileSystem.read(target) == [1, 2, 3])
    }

    @Test func `there is no copy of what is damaged`() throws {
        var history = JournalHistory(seed: 2)
        let writer = try JournalWriter(folder: folder)
        for _ in 0..<3 { try writer.commit(history.batch(inputs: 2, passes: 2)) }
        writer.close()
        try SQLiteConnection(path: folder + "/journal.sqlite", .writing)
            .execute("UPDATE batch SET content = x'0011223344', first = 2, count = 3 WHERE id = 2")
        let failure = #expect(throws: JournalBackup.Failure.self) {
            try JournalBackup(of: folder, to: target)
        }
        #expect(
            failure?.description.hasPrefix(
                """
                \(target): the journal is damaged, so there is no backup; restore an older one, or keep a copy of the folder:
                  - action
                """) == true)
        #expect(FileSystem.names(in: temporary("copy")).isEmpty)
    }

    @Test func `a target that cannot be written is told`() throws {
        try JournalWriter(folder: folder).close()
        let target = temporary("no/where.sqlite")
        let failure = #expect(throws: JournalBackup.Failure.self) {
            try JournalBackup(of: folder, to: target)
        }
        #expect(
            failure?.description
                == "\(target): the backup cannot be written: unable to open database file (No such file or directory); name a file in a folder with room that this user may write to"
        )
    }

    @Test func `there must be a journal`() throws {
        let failure = #expect(throws: JournalBackup.Failure.self) {
            try JournalBackup(of: folder, to: target)
        }
        #expect(
            failure?.description
                == "\(folder)/journal.sqlite: the journal cannot be read: there is none; name the folder of a journal that a host wrote"
        )
    }

    @Test func `what was left of a copy that was not finished is in nobody's way, and goes`() throws {
        try JournalWriter(folder: folder).close()
        let unfinished = "\(target).\(getpid()).part"
        try FileSystem.write(Array("no database at all".utf8), to: unfinished)
        let backup = try JournalBackup(of: folder, to: target)
        #expect(backup.path == target)
        #expect(FileSystem.names(in: temporary("copy")) == ["journal.sqlite"])
    }

    @Test func `a copy is not kept open`() throws {
        try JournalWriter(folder: folder).close()
        _ = try JournalBackup(of: folder, to: target)
        let identity = try #require(SystemFile.identity(target))
        let open = (0..<1_024).filter { SystemFile.identity("/proc/self/fd/\($0)") == identity }
        #expect(open.isEmpty)
    }

    @Test func `a folder that cannot be looked into has no copy`() {
        let folder = temporary(String(repeating: "x", count: 256))
        let failure = #expect(throws: JournalBackup.Failure.self) {
            try JournalBackup(of: folder, to: target)
        }
        guard case .journal(let reason)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(reason.reason == .system(call: "stat \(folder)/journal.promise", code: ENAMETOOLONG))
    }

    @Test func `a journal that ends before what was promised has no copy`() throws {
        var history = JournalHistory(seed: 3)
        let writer = try JournalWriter(folder: folder)
        try writer.commit(history.batch(inputs: 3, passes: 3))
        let name = writer.name
        writer.close()
        let extent = try JournalReader(folder: folder).extent()
        var promised = extent
        promised.sequence += 1
        _ = try JournalPromise(folder: folder, JournalPromise.Content(name: name, extent: promised))
        let problem = JournalFailure(
            folder, .reading, .shortfall(promised: promised, found: extent)
        ).cause
        #expect(throws: JournalBackup.Failure.damaged(path: target, problems: [problem])) {
            try JournalBackup(of: folder, to: target)
        }
        #expect(FileSystem.names(in: temporary("copy")).isEmpty)
    }

    /// What is wrong with a journal after a change.
    private func problems(_ sql: String) throws -> [String] {
        let path = temporary("changed.sqlite")
        let source = folder + "/journal.sqlite"
        try FileSystem.write(FileSystem.read(source), to: path)
        let connection = try SQLiteConnection(path: path, .writing)
        try connection.execute(sql)
        _ = try connection.checkpoint(isTruncating: true)
        return JournalBackup.verify(path).problems
    }

    @Test func `each part of a copy is looked at`() throws {
        let source = ActionSource(file: "in", function: "", line: 1, info: nil)
        let writer = try JournalWriter(folder: folder)
        for number in 1...3 as ClosedRange<UInt64> {
            var batch = JournalBatch(generation: 1, firstSequence: number)
            batch.inputs = [
                JournalInput(number: number, source: source, line: Array(#"{"type":"a"}"#.utf8))
            ]
            batch.entries = [JournalEntry(action: AnyAction("a"), source: source, time: nil)]
            if number == 1 { batch.done = [1] }
            try writer.commit(batch)
        }
        writer.write(
            JournalSnapshot(sequence: 1, generation: 1) { () throws(CodingFailure) in
                SavedState(configured: [:], plain: [:], kept: [:], entries: [:])
            })
        var letter = DeadLetter(
            .late, type: "a", action: [], from: nil, instance: nil, time: 0, reason: "r")
        letter.id = 4
        writer.bury(letter)
        writer.close()
        #expect(try problems("PRAGMA user_version = 4") == [])
        #expect(
            try problems("UPDATE batch SET content = x'00' WHERE id = 1") == [
                "action 1 of the journal cannot be read: expected a checksum at byte 0 of its content"
            ])
        let third = "action 3 of the journal cannot be read: expected a checksum at byte 0 of its content"
        // Once as an input that is not done, and once as an action.
        #expect(try problems("UPDATE batch SET content = x'00' WHERE id = 3") == [third, third])
        #expect(
            try problems("UPDATE snapshot SET content = x'00'") == [
                "the snapshot after action 1 cannot be read: expected a checksum, found 1 bytes"
            ])
        #expect(try problems("UPDATE dead SET content = x'00'") == ["dead letter 4 cannot be read"])
    }

    @Test func `a copy with pages that SQLite finds wrong is damaged`() throws {
        let writer = try JournalWriter(folder: folder)
        for id in 1...2 as ClosedRange<Int64> {
            var letter = DeadLetter(
                .late, type: "a", action: [], from: nil, instance: nil, time: 0, reason: "r")
            letter.id = id
            writer.bury(letter)
        }
        writer.close()
        let path = folder + "/journal.sqlite"
        let root = try #require(
            try JournalReader(folder: folder).connection.integer(
                "SELECT rootpage FROM sqlite_schema WHERE name = 'dead'"))
        var bytes = try FileSystem.read(path)
        let table = (Int(root) - 1) * 4_096
        // Its two cells change places.
        bytes.swapAt(table + 8, table + 10)
        bytes.swapAt(table + 9, table + 11)
        try FileSystem.write(bytes, to: path)
        let (_, problems) = JournalBackup.verify(path)
        #expect(problems.first?.hasPrefix("SQLite says: ") == true)
        #expect(problems.first?.contains("ok") == false)
    }

    @Test func `what is no journal is no copy of one`() throws {
        let path = try temporary.write(Array(repeating: UInt8(ascii: "x"), count: 10_000), to: "any")
        let (actions, problems) = JournalBackup.verify(path)
        #expect(actions == nil)
        #expect(
            problems == [
                "\(path): the journal cannot be read: this file is not a journal; name another folder"
            ])
    }
}
