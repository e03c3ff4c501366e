// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSQLite
internal import GatehouseSupport

/// The way of a snapshot into the file: it is encoded on a thread of its own, written in pieces between batches, read back on
/// another thread, and called good.
final class SnapshotWriting: Sendable {
    /// What the writer's thread knew when the snapshot's turn came.
    struct Mark: Sendable {
        /// The number of the snapshot.
        let id: Int64
        /// The number of the opening.
        let epoch: Int
        /// The first batch of which it does not know the effects.
        let batch: Int64
        /// The number of the record of the generation that runs; 0 where none is recorded.
        let generation: Int64
        /// The effects that were running.
        let effects: [JournalEffect]
        /// The time in seconds since 1970.
        let time: Double
    }

    /// What is to be written.
    private let snapshot: JournalSnapshot
    /// Takes the pieces.
    private let queue: JournalQueue
    /// The path of the file.
    private let path: String
    /// The name of SQLite's way to the system; nil for the usual one.
    private let system: String?
    /// Has a closure run beside the writer; false where that cannot be.
    private let beside: JournalTurns.Beside
    /// Told when the snapshot comes to nothing.
    private let onDiagnostic: @Sendable (Diagnostic) -> Void

    /// A snapshot that is on its way; `queue` waits for it before it ends.
    init(
        _ snapshot: JournalSnapshot, _ queue: JournalQueue, path: String, system: String?,
        beside: @escaping JournalTurns.Beside = { BackgroundThread.start($0) },
        onDiagnostic: @escaping @Sendable (Diagnostic) -> Void
    ) {
        self.snapshot = snapshot
        self.queue = queue
        self.path = path
        self.system = system
        self.beside = beside
        self.onDiagnostic = onDiagnostic
    }

    /// Begins, when its turn has come; called on the writer's thread.
    func begin(_ mark: Mark) { perform { self.encode(mark) } }

    /// Has a part of the work done beside the writer.
    private func perform(_ body: @escaping @Sendable () -> Void) {
        if beside(body) { return }
        drop("there is no thread for it")
        queue.release()
    }

    /// Encodes the state and hands over its pieces.
    private func encode(_ mark: Mark) {
        let encoded: SnapshotTable.Encoded
        do {
            encoded = SnapshotTable.Encoded(
                try snapshot.content(), effects: mark.effects, generation: mark.generation)
        } catch let error as CodingFailure {
            let place = error.pointer.tokens.isEmpty ? "" : "\(error.pointer): "
            drop("it cannot be encoded: \(place)expected \(error.expected), found \(error.found)")
            return queue.release()
        } catch {
            drop("it cannot be encoded: \(error)")
            return queue.release()
        }
        for instance in encoded.instances {
            put { committer throws(JournalFailure) in
                try committer.told { () throws(SQLiteError) in
                    try committer.snapshots.insert(instance, of: mark.id)
                }
            }
        }
        let (snapshot, rest) = (snapshot, encoded.rest)
        put { committer throws(JournalFailure) in
            try committer.insert(mark, snapshot, rest)
        } after: { [self] failure in
            guard failure == nil else { return queue.release() }
            perform { self.verify(mark) }
        }
    }

    /// Reads back what was written, and lets the journal rely on it.
    private func verify(_ mark: Mark) {
        defer { queue.release() }
        do {
            let table = SnapshotTable(try JournalSchema.openForReading(path, system: system))
            guard let row = try table.rows(isGood: false).first(where: { $0.id == mark.id }) else {
                throw SnapshotDamage(sequence: snapshot.sequence, instances: [], reason: "it is not there")
            }
            _ = try table.snapshot(row)
        } catch {
            drop("the written data does not match the data read back: \(error)")
            put { committer throws(JournalFailure) in
                try committer.told { () throws(SQLiteError) in try committer.snapshots.remove(mark.id) }
            }
            return
        }
        put { committer throws(JournalFailure) in try committer.keep(mark.id) }
    }

    /// Hands over a piece.
    private func put(
        _ body: @escaping @Sendable (JournalCommitter) throws(JournalFailure) -> Void,
        after: (@Sendable (JournalFailure?) -> Void)? = nil
    ) {
        _ = queue.put(.other(body, after), count: 0, isHeld: true)
    }

    /// Tells that the snapshot comes to nothing.
    private func drop(_ reason: String) {
        onDiagnostic(
            Diagnostic(
                .warning,
                "\(path): the snapshot after action \(snapshot.sequence) was not kept: \(reason); the next start takes longer"
            ))
    }
}
