// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Glibc
import Testing

@testable import GatehouseJournal
@testable import GatehouseSupport

/// Backups that take the place of a journal.
@Suite(.timeLimit(.minutes(10))) struct JournalRestoreTests {
    /// A journal's folder.
    private let folder: String
    /// A backup of its first five batches.
    private let backup: String
    /// What the journal had then, and what it has now.
    private let (then, now): (JournalHistory, JournalHistory)
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = temporary("journal")
        backup = temporary("monday.sqlite")
        var history = JournalHistory(seed: 7)
        let writer = try JournalWriter(folder: folder)
        for _ in 0..<5 { try writer.commit(history.batch(inputs: 10, passes: 8)) }
        then = history
        _ = try JournalBackup(of: folder, to: backup)
        for _ in 0..<5 { try writer.commit(history.batch(inputs: 10, passes: 8)) }
        now = history
        writer.close()
    }

    /// The moment at which tests restore: 2026-01-31T12:00:00Z.
    private static let moment = 1_769_860_800.0

    @Test func `a backup takes the place of the journal, which stays beside it`() throws {
        let restored = try JournalRestore(of: backup, into: folder, at: Self.moment)
        #expect(restored.path == folder + "/journal.sqlite")
        #expect(restored.actions == 1...(then.nextSequence - 1))
        #expect(restored.kept == folder + "/journal.sqlite.before-restore-20260131T120000.000Z")
        #expect(try FileSystem.mode(of: restored.path) == 0o600)
        #expect(!FileSystem.exists(restored.path + "-shm"))
        let writer = try JournalWriter(folder: folder)
        #expect(writer.start.sequence == then.nextSequence)
        // Effects are named by inputs; what was undone has had its effects.
        #expect(writer.start.input == now.nextInput)
        writer.close()
        #expect(try JournalReader(folder: folder).plainRecords() == then.records)
        // What was there can take its place again.
        let kept = try #require(restored.kept)
        let old = try temporary.makeFolder("old")
        for (name, place) in [
            ("journal.sqlite", kept), ("journal.sqlite-wal", kept + "-wal"),
            ("journal.promise", folder + "/journal.promise.before-restore-20260131T120000.000Z"),
        ] { try FileSystem.write(FileSystem.read(place), to: old + "/" + name) }
        let before = try JournalWriter(folder: old)
        #expect(before.start.sequence == now.nextSequence)
        before.close()
    }

    @Test func `a restore keeps neither the backup nor the journal open`() throws {
        _ = try JournalRestore(of: backup, into: folder)
        for path in [backup, folder + "/journal.sqlite"] {
            let identity = try #require(SystemFile.identity(path))
            let open = (0..<1_024).filter { SystemFile.identity("/proc/self/fd/\($0)") == identity }
            #expect(open.isEmpty, "\(path)")
        }
    }

    @Test func `a folder without a journal gets one`() throws {
        let restored = try JournalRestore(of: backup, into: temporary("new"))
        #expect(restored.kept == nil)
        let writer = try JournalWriter(folder: temporary("new"))
        #expect(writer.start.sequence == then.nextSequence)
        writer.close()
    }

    @Test func `no backup is restored while a host uses the journal`() throws {
        let writer = try JournalWriter(folder: folder)
        defer { writer.close() }
        let failure = #expect(throws: JournalRestore.Failure.self) {
            try JournalRestore(of: backup, into: folder)
        }
        #expect(failure?.description.contains("another host is using it, process ") == true)
        #expect(FileSystem.names(in: folder).allSatisfy { !$0.contains("restor") })
    }

    @Test func `a backup that is damaged changes nothing`() throws {
        let before = try FileSystem.read(folder + "/journal.sqlite")
        try SQLiteConnection(path: backup, .writing).execute(
            "UPDATE batch SET count = 99 WHERE id = 2; PRAGMA wal_checkpoint(TRUNCATE)")
        FileSystem.remove(backup + "-wal")
        FileSystem.remove(backup + "-shm")
        let failure = #expect(throws: JournalRestore.Failure.self) {
            try JournalRestore(of: backup, into: folder)
        }
        #expect(
            failure?.description.hasPrefix(
                "\(backup): the backup is damaged, so nothing was changed; restore another one:\n  - ")
                == true, "\(String(describing: failure))")
        #expect(try FileSystem.read(folder + "/journal.sqlite") == before)
        try JournalWriter(folder: folder).close()
    }

    @Test func `what is no backup is refused`() throws {
        let missing = #expect(throws: JournalRestore.Failure.self) {
            try JournalRestore(of: temporary("no"), into: folder)
        }
        #expect(
            missing?.description
                == "\(temporary("no")): there is no backup; name a file made by gatehouse backup")
        let path = folder + "/journal.sqlite"
        let live = #expect(throws: JournalRestore.Failure.self) { try JournalRestore(of: path, into: folder) }
        #expect(
            live?.description
                == "\(path): this is the journal of a host, not a backup; make a backup of its folder with gatehouse backup, and restore that"
        )
    }

    @Test func `a restore that was interrupted is refused until it is run again`() throws {
        let name = try #require(try JournalReader(folder: folder).name())
        _ = try JournalPromise(
            folder: folder, JournalPromise.Content(name: name, extent: .unreachable, used: 90))
        // In the middle of it there is the old journal, none, or the new one without its promise.
        for step in 0..<3 {
            if step == 1 { try FileSystem.rename(folder + "/journal.sqlite", to: temporary("aside")) }
            if step == 2 { try FileSystem.write(FileSystem.read(backup), to: folder + "/journal.sqlite") }
            let failure = #expect(throws: JournalFailure.self) { try JournalWriter(folder: folder) }
            #expect(
                failure?.description
                    == "\(folder)/journal.sqlite: the journal cannot be opened: a restore was interrupted; run gatehouse restore again"
            )
        }
        _ = try JournalRestore(of: backup, into: folder)
        let writer = try JournalWriter(folder: folder)
        #expect(writer.start.sequence == then.nextSequence)
        #expect(writer.start.input == 91)
        writer.close()
    }

    @Test func `an opening that a restore takes back is never numbered again`() throws {
        // Twice since the backup.
        for epoch in 2...3 {
            let writer = try JournalWriter(folder: folder)
            #expect(writer.epoch == epoch)
            writer.close()
        }
        // Of the newest opening, and interrupted: the journal is aside, and none has its place.
        let late = temporary("late.sqlite")
        _ = try JournalBackup(of: folder, to: late)
        var disk = DiskCalls.system
        let path = folder + "/journal.sqlite"
        disk.rename = { from, to in to == path ? -1 : DiskCalls.system.rename(from, to) }
        let calls = disk
        #expect(throws: JournalRestore.Failure.self) { try JournalRestore(of: late, into: folder, on: calls) }
        #expect(try JournalPromise.read(folder: folder).content?.isOfRestore == true)
        // Then of an older one, twice.
        for _ in 1...2 { _ = try JournalRestore(of: backup, into: folder) }
        #expect(try JournalPromise.read(folder: folder).content?.undoneEpoch == 3)
        let writer = try JournalWriter(folder: folder)
        #expect(writer.epoch == 4)
        writer.close()
        _ = try JournalRestore(of: backup, into: folder)
        let next = try JournalWriter(folder: folder)
        #expect(next.epoch == 5)
        next.close()
    }

    @Test func `what was there stays together where a restore is interrupted between its files`() throws {
        var disk = DiskCalls.system
        let log = folder + "/journal.sqlite-wal"
        disk.rename = { from, to in from == log ? -1 : DiskCalls.system.rename(from, to) }
        let calls = disk
        #expect(throws: JournalRestore.Failure.self) {
            try JournalRestore(of: backup, into: folder, at: Self.moment, on: calls)
        }
        #expect(try JournalRestore(of: backup, into: folder, at: Self.moment + 60).kept == nil)
        #expect(
            FileSystem.names(in: folder).filter { $0.contains("before") } == [
                "journal.promise" + suffix, "journal.sqlite" + suffix, "journal.sqlite" + suffix + "-wal",
            ])
    }

    @Test func `an input that the journal has and no promise names is never numbered again`() throws {
        // As a host in relaxed mode leaves it when it is killed: inputs may have been dispatched that nothing tells of.
        let promise = try FileSystem.read(folder + "/journal.promise")
        var history = now
        let writer = try JournalWriter(folder: folder)
        try writer.commit(history.batch(inputs: 10, passes: 8))
        let copy = try temporary.makeFolder("killed")
        for name in ["journal.sqlite", "journal.sqlite-wal"] {
            try FileSystem.write(FileSystem.read(folder + "/" + name), to: copy + "/" + name)
        }
        writer.close()
        try FileSystem.write(promise, to: copy + "/journal.promise")
        _ = try JournalRestore(of: backup, into: copy)
        let next = try JournalWriter(folder: copy)
        #expect(next.start.input == history.nextInput + JournalAdmission.unkept)
        #expect(next.epoch == 3)
        next.close()
        // Nor one of a journal that cannot be read.
        try FileSystem.write([1, 2, 3], to: copy + "/journal.sqlite")
        _ = try JournalRestore(of: backup, into: copy)
        let last = try JournalWriter(folder: copy)
        #expect(last.start.input == history.nextInput + 2 * JournalAdmission.unkept)
        last.close()
    }

    @Test func `a restore that another one keeps out leaves that one's file alone`() throws {
        let lock = try JournalLock(folder: folder)
        defer { lock.release() }
        try FileSystem.write([1], to: folder + "/journal.sqlite.restoring")
        #expect(throws: JournalRestore.Failure.self) { try JournalRestore(of: backup, into: folder) }
        #expect(FileSystem.exists(folder + "/journal.sqlite.restoring"))
    }

    /// What stands at the end of the names of what was there.
    private let suffix = ".before-restore-20260131T120000.000Z"

    @Test func `what is restored is the backup byte for byte, with a promise of its own`() throws {
        // More than is copied at a time.
        let connection = try SQLiteConnection(path: backup, .writing)
        try connection.prepare("INSERT INTO dead VALUES (1, ?)").run(
            lending: CheckedBlob.bytes(of: .string(String(repeating: "x", count: 3 << 20))))
        try connection.execute("DELETE FROM dead")
        _ = try connection.checkpoint(isTruncating: true)
        let bytes = try FileSystem.read(backup)
        #expect(bytes.count > 3 << 20)
        try FileSystem.write([1, 2, 3], to: folder + "/journal.sqlite.restoring")
        let used = try #require(try JournalPromise.read(folder: folder).content?.used)
        _ = try JournalRestore(of: backup, into: folder, at: Self.moment)
        #expect(try FileSystem.read(folder + "/journal.sqlite") == bytes)
        #expect(!FileSystem.exists(folder + "/journal.sqlite.restoring"))
        let reader = try JournalReader(folder: folder)
        let name = try #require(try reader.name())
        #expect(
            try JournalPromise.read(folder: folder)
                == .content(
                    JournalPromise.Content(
                        name: name, extent: reader.extent(), used: used, undoneEpoch: 1)))
        // Nobody has the journal afterwards.
        try JournalLock(folder: folder).release()
    }

    @Test func `a folder in which nothing was promised keeps nothing, and counts from the backup`() throws {
        let new = try temporary.makeFolder("new")
        let restored = try JournalRestore(of: backup, into: new, at: Self.moment)
        #expect(restored.kept == nil)
        #expect(FileSystem.names(in: new) == ["journal.lock", "journal.promise", "journal.sqlite"])
        let extent = try JournalReader(folder: new).extent()
        #expect(try JournalPromise.read(folder: new).content?.used == extent.input)
    }

    @Test func `a file with a log beside it is no backup, with an empty one it is`() throws {
        try FileSystem.write([], to: backup + "-wal")
        _ = try JournalRestore(of: backup, into: temporary("new"))
        try FileSystem.write([1], to: backup + "-wal")
        #expect(throws: JournalRestore.Failure.live(path: backup)) {
            try JournalRestore(of: backup, into: temporary("other"))
        }
        #expect(!FileSystem.exists(temporary("other")))
    }

    @Test func `a folder that cannot be made is told`() {
        let folder = temporary("no/where")
        let failure = #expect(throws: JournalRestore.Failure.self) {
            try JournalRestore(of: backup, into: folder)
        }
        guard case .system(let path, let call, _)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(path == folder)
        #expect(call == "mkdir")
    }

    @Test(arguments: ["journal.sqlite", "journal.sqlite-wal"])
    func `a file that cannot be put aside is told, and no host starts on what is there`(name: String) throws {
        // Its log has the suffix in the middle.
        let kept = name.replacing("journal.sqlite", with: "journal.sqlite" + suffix)
        try FileSystem.makeFolder(folder + "/" + kept)
        let failure = #expect(throws: JournalRestore.Failure.self) {
            try JournalRestore(of: backup, into: folder, at: Self.moment)
        }
        #expect(
            failure
                == .journal(
                    JournalFailure(
                        folder + "/journal.sqlite", .writing,
                        .system(call: "rename \(folder)/\(name)", code: EISDIR))))
        #expect(try JournalPromise.read(folder: folder).content?.extent == .unreachable)
        #expect(!FileSystem.exists(folder + "/journal.sqlite.restoring"))
    }

    @Test func `a promise that cannot be put aside is told, and nothing is changed`() throws {
        let before = try FileSystem.read(folder + "/journal.sqlite")
        let kept = folder + "/journal.promise" + suffix
        try FileSystem.makeFolder(kept)
        let failure = #expect(throws: JournalRestore.Failure.self) {
            try JournalRestore(of: backup, into: folder, at: Self.moment)
        }
        #expect(
            failure == .journal(JournalFailure(kept, .writing, .system(call: "open", code: EEXIST))))
        #expect(try FileSystem.read(folder + "/journal.sqlite") == before)
        try JournalWriter(folder: folder).close()
    }
}
