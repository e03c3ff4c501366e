// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Glibc
import Testing

@testable import GatehouseJournal
@testable import GatehouseSQLite

/// Whether a host may use a journal, and where it goes on.
@Suite(.timeLimit(.minutes(10))) struct JournalAdmissionTests {
    /// A journal's folder.
    private let folder: String
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try temporary.makeFolder("journal")
    }

    /// The journal's file.
    private var path: String { folder + "/journal.sqlite" }

    /// Promises something beside the journal.
    private func promise(_ extent: JournalExtent, used: UInt64 = 0, name: String = "one") throws {
        _ = try JournalPromise(
            folder: folder, JournalPromise.Content(name: name, extent: extent, used: used))
    }

    /// A journal of three actions, which has a name.
    private func rows() throws -> JournalRows {
        var rows = try JournalRows(in: folder)
        try rows.connection.execute("INSERT INTO epoch VALUES (1, 0, NULL, 'host', 'one')")
        for id in 1...3 as ClosedRange<Int64> {
            try rows.insert(id, from: UInt64(id), actions: 1, latestInput: 10)
        }
        return rows
    }

    /// How far that journal goes.
    private let extent = JournalExtent(batch: 3, sequence: 3, input: 10, epoch: 1)

    /// Where a writer goes on, and what an operator is told.
    private func admit(
        _ rows: JournalRows, form: Int64 = 4, acceptsLoss: Bool = false
    ) throws -> (position: JournalPosition, told: Int) {
        var admission = try JournalAdmission(folder: folder, acceptsLoss: acceptsLoss)
        let position = try admission.admit(rows.connection, form: form)
        return (position, admission.diagnostics.count)
    }

    /// Why a journal is refused; nil where it is not.
    private func refusal(_ rows: JournalRows, form: Int64 = 4) throws -> JournalFailure.Reason? {
        do {
            _ = try admit(rows, form: form)
            return nil
        } catch let failure as JournalFailure {
            #expect(failure.path == path)
            #expect(failure.step == .opening)
            return failure.reason
        }
    }

    // MARK: - Without a file

    @Test func `a promised journal that is missing or empty is refused`() throws {
        try promise(extent)
        let missing = JournalFailure(
            path, .opening, .shortfall(promised: extent, found: JournalExtent()))
        #expect(throws: missing) { try JournalAdmission(folder: folder, acceptsLoss: false) }
        try FileSystem.write([], to: path)
        #expect(throws: missing) { try JournalAdmission(folder: folder, acceptsLoss: false) }
        #expect(try JournalAdmission(folder: folder, acceptsLoss: true).diagnostics.count == 1)
        try FileSystem.write([1], to: path)
        #expect(try JournalAdmission(folder: folder, acceptsLoss: false).diagnostics.isEmpty)
        FileSystem.remove(path)
        try promise(.unreachable)
        #expect(throws: JournalFailure(path, .opening, .interruptedRestore)) {
            try JournalAdmission(folder: folder, acceptsLoss: false)
        }
    }

    @Test func `where nothing was promised nothing is missed`() throws {
        #expect(try JournalAdmission(folder: folder, acceptsLoss: false).diagnostics.isEmpty)
        try promise(JournalExtent())
        #expect(try JournalAdmission(folder: folder, acceptsLoss: false).diagnostics.isEmpty)
    }

    // MARK: - With one

    @Test func `a journal of which nothing was promised is refused, unless it is empty or of form 1`() throws
    {
        let empty = try JournalRows(in: folder)
        #expect(
            try admit(empty).position == JournalPosition(batch: 1, sequence: 1, input: 1, effect: 1))
        let rows = try rows()
        #expect(try refusal(rows) == .unpromised)
        #expect(try refusal(rows, form: 2) == .unpromised)
        #expect(try refusal(rows, form: 1) == nil)
        #expect(try admit(rows, acceptsLoss: true).told == 1)
        try FileSystem.write([], to: folder + "/journal.promise")
        #expect(try refusal(rows) == .damagedPromise)
    }

    @Test func `a journal has its promise, and all that was promised`() throws {
        let rows = try rows()
        try promise(extent)
        #expect(try admit(rows).position == JournalPosition(batch: 4, sequence: 4, input: 11, effect: 1))
        try promise(extent, name: "two")
        #expect(try refusal(rows) == .otherPromise(promised: "two", found: "one"))
        let more = JournalExtent(batch: 3, sequence: 4, input: 10, epoch: 1)
        try promise(more)
        #expect(try refusal(rows) == .shortfall(promised: more, found: extent))
        #expect(try admit(rows, acceptsLoss: true).told == 1)
        try promise(.unreachable)
        #expect(try refusal(rows) == .interruptedRestore)
    }

    @Test func `an input gets no number that one has had`() throws {
        let rows = try rows()
        try promise(extent, used: 20)
        #expect(try admit(rows).position.input == 21)
        FileSystem.remove(folder + "/journal.promise")
        try promise(extent, used: 10)
        #expect(try admit(rows).position.input == 11)
    }

    @Test func `where inputs are not kept first, those of a host that died get no number of it again`()
        throws
    {
        let rows = try rows()
        try promise(extent, used: 20)
        var admission = try JournalAdmission(folder: folder, acceptsLoss: false, keepsFirst: false)
        #expect(try admission.admit(rows.connection, form: 4).input == 21 + 262_144)
        try rows.connection.execute("UPDATE epoch SET ended = 1")
        #expect(try admission.admit(rows.connection, form: 4).input == 21)
    }

    @Test func `after a last batch that is damaged the promise says where to go on`() throws {
        let rows = try rows()
        try promise(extent, used: 20)
        try rows.connection.execute("UPDATE batch SET input = 77, effect = 5 WHERE id = 3")
        guard case .damaged(let damage) = try refusal(rows) else {
            Issue.record("it is taken")
            return
        }
        #expect(damage.batch == 3)
        let (position, told) = try admit(rows, acceptsLoss: true)
        #expect(position == JournalPosition(batch: 4, sequence: 4, input: 21, effect: 6))
        #expect(told == 1)
        // Of a batch that was not promised it says nothing.
        FileSystem.remove(folder + "/journal.promise")
        try promise(JournalExtent(batch: 2, sequence: 2, input: 10, epoch: 1), used: 20)
        #expect(
            try admit(rows, acceptsLoss: true).position
                == JournalPosition(batch: 4, sequence: 4, input: 78, effect: 6))
    }

    @Test func `openings are counted from the one that was promised`() throws {
        func admission() throws -> JournalAdmission {
            try JournalAdmission(folder: folder, acceptsLoss: true)
        }
        #expect(try admission().epoch == 0)
        #expect(try admission().used == 0)
        try promise(JournalExtent(epoch: 7), used: 5)
        #expect(try admission().epoch == 7)
        #expect(try admission().used == 5)
        try promise(.unreachable)
        #expect(try admission().epoch == 0)
    }

    @Test func `a file that cannot be used is told with what was promised`() throws {
        let foreign = JournalFailure(path, .opening, .foreign)
        #expect(try JournalAdmission(folder: folder, acceptsLoss: true).explaining(foreign) == foreign)
        try FileSystem.write([1], to: path)
        try promise(JournalExtent())
        #expect(try JournalAdmission(folder: folder, acceptsLoss: true).explaining(foreign) == foreign)
        try promise(extent)
        let admission = try JournalAdmission(folder: folder, acceptsLoss: true)
        for reason in [
            .foreign, .strange(["a"]), .database(SQLiteError(code: 11, message: "damaged")),
            .database(SQLiteError(code: 1, message: "no such table")),
        ] as [JournalFailure.Reason] {
            let failure = JournalFailure(path, .reading, reason)
            #expect(
                admission.explaining(failure)
                    == JournalFailure(path, .reading, .broken(failure.cause, promised: extent)))
        }
        for reason in [
            .database(SQLiteError(code: 10, message: "disk")), .closed, .missing,
            .system(call: "open", code: EIO),
        ] as [JournalFailure.Reason] {
            let failure = JournalFailure(path, .opening, reason)
            #expect(admission.explaining(failure) == failure)
        }
        try promise(.unreachable)
        #expect(try JournalAdmission(folder: folder, acceptsLoss: true).explaining(foreign) == foreign)
    }
}
