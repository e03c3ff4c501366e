// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Glibc
import Synchronization
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseRuntime

/// A disk that fails: the journal takes nothing more, says so once, and tries nothing again.
@Suite(.timeLimit(.minutes(10))) struct FailingDiskTests {
    /// How a call fails.
    struct Defect: Sendable, CustomTestStringConvertible {
        /// The words for the test.
        let testDescription: String
        /// The end of the path of the file.
        let file: String
        /// The kind of call.
        let call: LossyDisk.Call
        /// SQLite's number for the failure.
        let code: Int32
        /// The system's number for the reason.
        let system: Int32
        /// What is said.
        let words: String
    }

    /// A journal's folder.
    private let folder: String
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = temporary("journal")
    }

    /// The failures of the log.
    static let defects = [
        Defect(
            testDescription: "a sync that fails", file: "-wal", call: .sync, code: 1_034,
            system: EIO,
            words:
                "disk I/O error (Input/output error); check the disk (the system's log may say more), then start the host again"
        ),
        Defect(
            testDescription: "a write that fails", file: "-wal", call: .write, code: 778,
            system: EIO,
            words:
                "disk I/O error (Input/output error); check the disk (the system's log may say more), then start the host again"
        ),
        Defect(
            testDescription: "a full disk", file: "-wal", call: .write, code: 13,
            system: ENOSPC,
            words:
                "database or disk is full (No space left on device); make room on the disk, then start the host again"
        ),
        Defect(
            testDescription: "a file system that can only be read", file: "-wal", call: .write,
            code: 8, system: EROFS,
            words:
                "attempt to write a readonly database (Read-only file system); let this user read and write the file and its folder"
        ),
    ]

    /// A batch of one action.
    private func batch(_ number: UInt64, _ text: String = "x") -> JournalBatch {
        var batch = JournalBatch(generation: 1, firstSequence: number)
        batch.entries = [
            JournalEntry(action: AnyAction("a", payload: .string(text)), source: .here(), time: nil)
        ]
        return batch
    }

    @Test(arguments: Self.defects)
    func `after a failure nothing is taken, and nothing tried again`(defect: Defect) throws {
        let told = Mutex<[String]>([])
        var options = JournalWriter.Options()
        options.system = LossyDisk.register()
        options.onFailure = { failure in told.withLock { $0.append("\(failure)") } }
        let writer = try JournalWriter(folder: folder, options)
        let path = folder + "/journal.sqlite" + defect.file
        for number in 1...3 as ClosedRange<UInt64> { try writer.commit(batch(number)) }
        LossyDisk.fail(defect.call, of: path, code: defect.code, system: defect.system)
        let first = #expect(throws: JournalFailure.self) { try writer.commit(batch(4)) }
        let words = "\(folder)/journal.sqlite: the journal cannot be written: \(defect.words)"
        #expect(first?.description == words)
        let calls = LossyDisk.count(defect.call, of: path)
        LossyDisk.heal(path)
        // The disk is well again, but what it has done with the bytes nobody knows.
        let second = #expect(throws: JournalFailure.self) { try writer.commit(batch(4)) }
        #expect(second == first)
        #expect(writer.failure == first)
        writer.write(
            JournalSnapshot(sequence: 3, generation: 1) { () throws(CodingFailure) in
                throw CodingFailure(pointer: .whole, expected: "nobody to ask", found: "somebody")
            })
        writer.close()
        #expect(LossyDisk.count(defect.call, of: path) == calls)
        #expect(told.withLock { $0 } == [words])
        let next = try JournalWriter(folder: folder)
        #expect((4...5).contains(next.start.sequence))
        #expect(try JournalReader(folder: folder).items(to: 3).count == 3)
        next.close()
    }

    @Test(arguments: [LossyDisk.Call.write, .sync])
    func `a failure while the log is written back ends the journal too`(call: LossyDisk.Call) throws {
        let note = WaitingNote<String>()
        var options = JournalWriter.Options()
        options.system = LossyDisk.register()
        options.onFailure = { note.tell("\($0)") }
        let writer = try JournalWriter(folder: folder, options)
        LossyDisk.fail(call, of: folder + "/journal.sqlite", code: call == .sync ? 1_034 : 778, system: EIO)
        var number: UInt64 = 1
        let text = String(repeating: "x", count: 500_000)
        var failure: JournalFailure?
        while failure == nil, number < 200 {
            do throws(JournalFailure) { try writer.commit(batch(number, text)) } catch { failure = error }
            number += 1
        }
        let words =
            "\(folder)/journal.sqlite: the journal cannot be written: disk I/O error (Input/output error); check the disk (the system's log may say more), then start the host again"
        try #require(failure?.description == words)
        #expect(note.wait() == words)
        writer.close()
        LossyDisk.heal(folder + "/journal.sqlite")
        // All that was committed is in the log.
        #expect(try JournalReader(folder: folder).bounds() == 1...(number - 2))
    }

    @Test func `in relaxed mode a sync that fails later ends the journal`() throws {
        let note = WaitingNote<String>()
        var options = JournalWriter.Options(mode: .relaxed)
        options.system = LossyDisk.register()
        options.onFailure = { note.tell("\($0)") }
        let writer = try JournalWriter(folder: folder, options)
        try writer.commit(batch(1))
        LossyDisk.awaitSync(of: folder + "/journal.sqlite-wal")
        LossyDisk.fail(.sync, of: folder + "/journal.sqlite-wal", code: 1_034, system: EIO)
        try writer.commit(batch(2))
        #expect(
            note.wait()
                == "\(folder)/journal.sqlite: the journal cannot be written: disk I/O error (Input/output error); check the disk (the system's log may say more), then start the host again"
        )
        #expect(throws: JournalFailure.self) { try writer.commit(batch(3)) }
        let calls = LossyDisk.count(.sync, of: folder + "/journal.sqlite-wal")
        writer.close()
        #expect(LossyDisk.count(.sync, of: folder + "/journal.sqlite-wal") == calls)
    }
}
