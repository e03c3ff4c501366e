// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Synchronization

@testable import GatehouseJournal
@testable import GatehousePlan

/// A journal with a past that a test makes up; each action is written down a second after the one before, from second 1,000 on.
struct PastJournal {
    /// One action of the past.
    struct Row {
        /// Its type.
        var type: String
        /// Its payload; nil for none.
        var payload: Value?
        /// What led to it.
        var cause = ActionCause.unknown
        /// Its line of `orders.ndjson`; 0 for what an instance emitted.
        var line: UInt = 0
        /// The instance that emitted it; nil for input.
        var instance: String?
        /// What reducers were told that the time is.
        var time: Double?

        /// An action of a line.
        static func line(_ line: UInt, _ type: String, _ payload: Value? = nil) -> Row {
            Row(type: type, payload: payload, line: line)
        }

        /// An action that an instance emitted.
        static func by(
            _ instance: String, _ type: String, _ payload: Value? = nil, _ kind: ActionCause.Kind,
            of sequence: UInt64
        ) -> Row {
            Row(type: type, payload: payload, cause: ActionCause(kind, sequence), instance: instance)
        }
    }

    /// The journal's folder.
    let folder: String
    /// Removed after the test.
    private let temporary: TemporaryFolder

    /// Writes a past down.
    init(_ rows: [Row]) throws {
        temporary = try TemporaryFolder()
        folder = temporary("journal")
        try Self.write(rows, to: folder)
    }

    /// Writes actions down after those that are there.
    ///
    /// - Parameters:
    ///   - snapshot: the state after the last of them, which is written down too; nil for none.
    ///   - seconds: how long actions stay that no snapshot needs.
    static func write(
        _ rows: [Row], to folder: String, snapshot: SavedState? = nil, keeping seconds: Double = 1e9
    ) throws {
        let now = Mutex(999.0)
        var options = JournalWriter.Options()
        options.keptSeconds = seconds
        options.clock = { now.withLock { $0 } }
        let writer = try JournalWriter(folder: folder, options)
        for (place, row) in rows.enumerated() {
            let sequence = writer.start.sequence + UInt64(place)
            now.withLock { $0 = 999 + Double(sequence) }
            var batch = JournalBatch(generation: 1, firstSequence: sequence)
            let source = ActionSource(
                file: row.instance == nil ? "orders.ndjson" : "Plugin.swift", function: "", line: row.line,
                info: row.instance)
            batch.entries = [
                JournalEntry(
                    action: AnyAction(ActionType(row.type), payload: row.payload),
                    source: source.caused(by: row.cause), time: row.time)
            ]
            try writer.commit(batch)
        }
        if let snapshot {
            let last = writer.start.sequence + UInt64(rows.count) - 1
            writer.write(JournalSnapshot(sequence: last, generation: 1) { snapshot })
        }
        writer.close()
    }
}
