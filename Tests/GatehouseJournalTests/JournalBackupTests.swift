// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import SeededTesting
import Testing

@testable import GatehouseJournal

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
}
