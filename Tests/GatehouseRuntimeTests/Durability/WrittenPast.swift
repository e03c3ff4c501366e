// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite

@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// A journal of actions, generations and snapshots that a test puts together, without any instance.
struct WrittenPast {
    /// The journal's folder.
    let folder: String
    /// Removed after the test.
    private let temporary: TemporaryFolder

    /// Writes actions, each in a batch of its own.
    init(actions: UInt64) throws {
        temporary = try TemporaryFolder()
        folder = temporary("journal")
        let writer = try JournalWriter(folder: folder)
        for sequence in 0..<actions {
            var batch = JournalBatch(generation: 1, firstSequence: sequence + 1)
            batch.entries = [JournalEntry(action: AnyAction("a"), source: .here(), time: nil)]
            try writer.commit(batch)
        }
        writer.close()
    }

    /// The journal's file.
    var path: String { folder + "/journal.sqlite" }

    /// Goes on with the journal as a host does.
    func write(_ body: (JournalWriter) throws -> Void) throws {
        let writer = try JournalWriter(folder: folder)
        defer { writer.close() }
        try body(writer)
    }

    /// Changes the journal's file as somebody else would.
    func tamper(_ sql: String) throws { try SQLiteConnection(path: path, .writing).execute(sql) }

    /// Records generations that begin after some actions, numbered from 1 on; each says its number in the plain state.
    func begin(after sequences: UInt64...) throws {
        let table = GenerationTable(try SQLiteConnection(path: path, .writing))
        for (index, sequence) in sequences.enumerated() {
            _ = try table.insert(
                GenerationRecord(
                    epoch: 1, number: index + 1, after: sequence, time: 0, plan: .nothing,
                    change: GenerationChange(patch: ["generation": Value(index + 1)])))
        }
    }

    /// A state that says what has made it.
    static func state(_ text: String) -> SavedState {
        SavedState(configured: [:], plain: ["by": .string(text)], kept: [:], entries: [:])
    }

    /// Writes a good snapshot after an action, whose state a recorded generation had.
    func keep(_ id: Int64, after sequence: UInt64, record: Int64) throws {
        let table = SnapshotTable(try SQLiteConnection(path: path, .writing))
        let encoded = SnapshotTable.Encoded(Self.state("snapshot \(id)"), effects: [], generation: record)
        try table.insert(
            SnapshotTable.Row(
                id: id, sequence: sequence, epoch: 1, generation: 1, batch: 1, floor: 1, time: 0,
                rest: encoded.rest))
        try table.keep(id)
    }
}

/// Reduces nothing, and remembers what it was asked to reduce.
final class NotingReducer: PastReducer {
    /// The number of each generation that was asked to reduce, and its actions.
    private(set) var reductions: [String] = []
    /// What was asked last.
    private(set) var last: PastReduction?
    /// What is thrown instead of a result.
    private let refusal: PastFailure?
    /// What it calls itself.
    private let name: String

    /// A reducer that takes whatever is asked, or refuses it.
    init(_ name: String = "reducer", refusing refusal: PastFailure? = nil) {
        self.name = name
        self.refusal = refusal
    }

    func reduce(_ reduction: PastReduction) throws(PastFailure) -> PastResult {
        reductions.append("\(reduction.record.number): \(reduction.after + 1)-\(reduction.last)")
        last = reduction
        if let refusal { throw refusal }
        return PastResult(
            state: WrittenPast.state("\(name) \(reduction.last)"),
            count: Int(reduction.last - reduction.after),
            diagnostics: [Diagnostic(.warning, "\(name) at \(reduction.last)")],
            fallen: [FallenInstance(id: name, at: reduction.last, reason: "died")])
    }
}
