// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import GatehouseJournal
@testable import GatehouseSQLite

/// What is said of a journal that cannot be used, and of what is damaged in it.
@Suite(.timeLimit(.minutes(10))) struct JournalFailureTests {
    /// What is said of an error of SQLite, without the path and what was tried.
    private func words(_ code: Int32, system: Int32 = 0) -> String {
        let error = SQLiteError(code: code, message: "no", systemCode: system)
        return JournalFailure("a", .writing, .database(error)).description
            .replacing("a: the journal cannot be written: ", with: "")
    }

    @Test func `an error of SQLite is told with the system's reason, unless the file is damaged`() {
        #expect(words(13).hasPrefix("no; "))
        #expect(words(13, system: EPERM).hasPrefix("no (Operation not permitted); "))
        #expect(words(13, system: EIO).hasPrefix("no (Input/output error); "))
        #expect(words(11, system: EIO).hasPrefix("no; "))
    }

    @Test func `each error of SQLite has its own way out`() {
        let advice: [String: [Int32]] = [
            "make room on the disk, then start the host again": [13],
            "let this user read and write the file and its folder": [3, 8, 14, 23],
            "check the disk (the system's log may say more), then start the host again": [10, 10 | 3 << 8],
            "find the program that holds the file, and end it": [5, 6],
            "restore a backup of the folder, or move it away to start from scratch": [1, 11, 17, 19, 20, 26],
            "make more memory available, then start the host again": [7],
            "shorten the line, or lower the limit of a line's bytes": [18],
            "start the host again; if it happens again, keep a copy of the folder, report this, and restore a backup":
                [2, 9, 21, 25],
        ]
        for (words, codes) in advice {
            for code in codes { #expect(self.words(code) == "no; " + words, "\(code)") }
        }
    }

    @Test func `whoever calls SQLite for a journal is told what is no journal`() throws {
        #expect(try JournalFailure.told(of: "a", .reading) { () throws(SQLiteError) in 5 } == 5)
        let damaged = SQLiteError(code: 11, message: "no")
        #expect(throws: JournalFailure("a", .reading, .database(damaged))) {
            try JournalFailure.told(of: "a", .reading) { () throws(SQLiteError) in throw damaged }
        }
        #expect(throws: JournalFailure("a", .opening, .foreign)) {
            try JournalFailure.told(of: "a", .opening) { () throws(SQLiteError) in
                throw SQLiteError(code: 26, message: "no")
            }
        }
    }

    @Test func `whoever has a journal is named where that is known`() {
        #expect(JournalFailure("a", .opening, .taken(process: nil)).cause == "another host is using it")
        #expect(
            JournalFailure("a", .opening, .taken(process: 7)).cause
                == "another host is using it, process 7")
    }

    @Test func `damage is named by its actions, or by its batch where those are unknown`() {
        for (sequences, subject, isOne) in [
            (nil, "batch 7", true), (4...4, "action 4", true), (4...5, "actions 4 to 5", false),
        ] as [(ClosedRange<UInt64>?, String, Bool)] {
            func words(_ kind: JournalDamage.Kind) -> String {
                "\(JournalDamage(kind: kind, batch: 7, sequences: sequences))"
            }
            #expect(words(.missing) == "\(subject) of the journal cannot be found")
            #expect(words(.changed("why")) == "\(subject) of the journal cannot be read: why")
            #expect(words(.unreadable("why")) == "\(subject) of the journal cannot be read: SQLite says: why")
            #expect(
                words(.removed)
                    == "\(subject) of the journal \(isOne ? "was" : "were") removed meanwhile to stay within the limits; nothing is damaged"
            )
        }
    }

    @Test func `a snapshot that is damaged is named with the instances that are`() {
        #expect(
            SnapshotDamage(sequence: 4, instances: [], reason: "why").description
                == "the snapshot after action 4 cannot be read: why")
        #expect(
            SnapshotDamage(sequence: 4, instances: ["a", "b"], reason: "why").description
                == "the snapshot after action 4, the state of a, b cannot be read: why")
    }

    @Test func `the type of an action is that of its first member, or of whichever says it`() {
        for (text, type) in [
            (#"{"type":"a/b","payload":1}"#, "a/b"), (#"{"payload":1,"type":"a/b"}"#, "a/b"),
            (#"{"type":"a\/b"}"#, "a/b"), (#"{"type":"\"a"}"#, "\"a"), (#"{"type":""}"#, ""),
            (#"{"type":"a"#, ""), (#"{"type":5}"#, ""), ("{}", ""), ("", ""),
        ] { #expect(JournalInputRecord.type(of: Array(text.utf8)) == type, "\(text)") }
    }

    @Test func `only what an action led to has its sequence`() {
        #expect(JournalCause.unknown.sequence == nil)
        #expect(JournalCause.input(5).sequence == nil)
        #expect(JournalCause.output(of: 5).sequence == 5)
        #expect(JournalCause.effect(of: 6).sequence == 6)
        #expect(JournalCause.own(of: nil).sequence == nil)
    }
}
