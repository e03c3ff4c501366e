// SPDX-License-Identifier: Apache-2.0

/// Reads a journal, also beside the host that writes it; never changes it. One thread at a time.
final class JournalReader {
    /// The path of the file.
    let path: String
    /// What SQLite reads with.
    let connection: SQLiteConnection
    /// The batches.
    private let table: BatchTable

    /// Opens the journal in a folder.
    ///
    /// - Parameter system: the name of SQLite's way to the system; nil for the usual one.
    /// - Throws: that there is none, that it is something else, or why it cannot be read.
    init(folder: String, system: String? = nil) throws(JournalFailure) {
        path = folder + "/" + JournalSchema.fileName
        connection = try JournalSchema.openForReading(path, system: system)
        table = try BatchTable(connection, path: path)
    }

    /// Reads with a connection that somebody else has.
    init(_ connection: SQLiteConnection, path: String) throws(JournalFailure) {
        self.path = path
        self.connection = connection
        table = try BatchTable(connection, path: path)
    }

    /// The sequences that are kept; nil when there is none.
    func bounds() throws(JournalFailure) -> ClosedRange<UInt64>? {
        guard let bounds = try table.bounds(), let first = try table.header(from: bounds.lowerBound),
            let last = try table.header(from: bounds.upperBound), last.next > first.first
        else { return nil }
        return first.first...last.next - 1
    }

    /// What the next writer goes on with.
    func position() throws(JournalFailure) -> JournalPosition {
        guard let bounds = try table.bounds(), let last = try table.header(from: bounds.upperBound) else {
            return JournalPosition(batch: 1, sequence: 1, input: 1, effect: 1)
        }
        return JournalPosition(
            batch: last.id + 1, sequence: last.next, input: last.input + 1, effect: last.effect + 1)
    }

    /// The records from one sequence to another, with what is damaged between them.
    func records(from first: UInt64 = 0, to last: UInt64 = .max) -> JournalCursor {
        JournalCursor(table, from: first, to: last)
    }

    /// The number of the batch from which a reader must go on that knows everything before a sequence.
    func floor(of sequence: UInt64) throws(JournalFailure) -> Int64 {
        guard let id = try table.batch(with: sequence), let header = try table.header(from: id) else {
            return 1
        }
        return min(header.open, id)
    }

    /// The inputs that are not done, in order of number, and what is damaged where they would stand.
    func openInputs() throws(JournalFailure) -> (inputs: [JournalInputRecord], damage: [JournalDamage]) {
        guard let bounds = try table.bounds(), let last = try table.header(from: bounds.upperBound) else {
            return ([], [])
        }
        var open: [UInt64: JournalInputRecord] = [:]
        var damage: [JournalDamage] = []
        try forEach(from: min(last.open, last.id)) { batch, _ in
            for input in batch.inputs { open[input.number] = batch.record(of: input) }
            for run in batch.done {
                if run.count < open.count {
                    for number in run { open[number] = nil }
                } else {
                    open = open.filter { !run.contains($0.key) }
                }
            }
        } damage: {
            damage.append($0)
        }
        return (open.values.sorted { $0.number < $1.number }, damage)
    }

    /// The effects that were begun and have not ended, in order of number.
    func runningEffects() throws(JournalFailure) -> [JournalEffect] {
        let newest = try snapshots().good.first
        var running: [UInt64: JournalEffect] = [:]
        for effect in newest?.effects ?? [] { running[effect.number] = effect }
        try forEach(from: newest?.batch ?? 0) { batch, _ in
            for effect in batch.begun { running[effect.number] = effect }
            if !running.isEmpty {
                for run in batch.ended { for number in run { running[number] = nil } }
            }
        } damage: { _ in
        }
        return running.values.sorted { $0.number < $1.number }
    }

    /// The snapshots that were read back when they were written, the newest first: those that can be read now, and why others
    /// cannot.
    func snapshots() throws(JournalFailure) -> (good: [StoredSnapshot], damaged: [SnapshotDamage]) {
        let table = SnapshotTable(connection)
        let rows = try JournalFailure.told(of: path, .reading) { () throws(SQLiteError) in try table.rows() }
        var good: [StoredSnapshot] = []
        var damaged: [SnapshotDamage] = []
        for row in rows {
            do {
                good.append(try table.snapshot(row))
            } catch let damage as SnapshotDamage {
                damaged.append(damage)
            } catch let error as SQLiteError {
                throw JournalFailure(path, .reading, .database(error))
            } catch {
                damaged.append(SnapshotDamage(sequence: row.sequence, instances: [], reason: "\(error)"))
            }
        }
        return (good, damaged)
    }

    /// The generations in the order in which they ran, and what of them cannot be read; none in a journal of form 1.
    ///
    /// Those that never came into force, because the actions before them were lost, are left out.
    func generations() throws(JournalFailure) -> (records: [GenerationRecord], damaged: [GenerationDamage]) {
        let last = try position().sequence - 1
        return try JournalFailure.told(of: path, .reading) { () throws(SQLiteError) in
            guard try JournalSchema.hasGenerations(connection) else { return ([], []) }
            return try GenerationTable(connection).records(notAfter: last)
        }
    }

    /// The dead letters in order of their numbers, and the numbers of those that are damaged.
    func deadLetters() throws(JournalFailure) -> (letters: [DeadLetter], damaged: [Int64]) {
        try JournalFailure.told(of: path, .reading) { () throws(SQLiteError) in
            try DeadLetterTable(connection).letters()
        }
    }

    /// Where each input stands that is not done, for the writer that goes on.
    func openNumbers() throws(JournalFailure) -> OpenNumbers {
        var numbers = OpenNumbers()
        guard let bounds = try table.bounds(), let last = try table.header(from: bounds.upperBound) else {
            return numbers
        }
        try forEach(from: min(last.open, last.id)) { batch, header in
            for input in batch.inputs { numbers.insert(input.number, in: header.id) }
            for run in batch.done { for number in run { numbers.remove(number) } }
        } damage: { _ in
        }
        return numbers
    }

    /// Calls a closure with each batch from a number on, and another one with those that cannot be read.
    func forEach(
        from id: Int64, _ body: (StoredBatch, BatchHeader) -> Void, damage: (JournalDamage) -> Void
    ) throws(JournalFailure) {
        var next = id
        while true {
            let rows = try table.rows(from: next)
            if rows.isEmpty { return }
            for row in rows {
                switch row {
                case .unreadable(let id, let words):
                    damage(JournalDamage(kind: .unreadable(words), batch: id, sequences: nil))
                    next = id + 1
                case .stored(let header, let content):
                    do throws(JournalDamage) {
                        body(try StoredBatch(header, content: content), header)
                    } catch {
                        damage(error)
                    }
                    next = header.id + 1
                }
            }
        }
    }
}

/// Where a journal ends.
struct JournalPosition: Equatable, Sendable {
    /// The number of the next batch.
    let batch: Int64
    /// The sequence of the next action.
    let sequence: UInt64
    /// The number of the next input.
    let input: UInt64
    /// The number of the next effect.
    let effect: UInt64
}
