// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSQLite

/// Reads a journal, also beside the host that writes it; never changes it. One thread at a time.
package final class JournalReader {
    /// The path of the file.
    package let path: String
    /// What SQLite reads with.
    let connection: SQLiteConnection
    /// The batches.
    fileprivate let table: BatchTable

    /// Opens the journal in a folder.
    ///
    /// - Parameter system: the name of SQLite's way to the system; nil for the usual one.
    /// - Throws: that there is none, that it is something else, or why it cannot be read.
    package init(folder: String, system: String? = nil) throws(JournalFailure) {
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
    package func bounds() throws(JournalFailure) -> ClosedRange<UInt64>? {
        guard let bounds = try table.bounds(), let first = try table.header(from: bounds.lowerBound),
            let last = try table.header(from: bounds.upperBound), last.next > first.first
        else { return nil }
        return first.first...last.next - 1
    }

    /// What the next writer goes on with.
    package func position() throws(JournalFailure) -> JournalPosition {
        guard let bounds = try table.bounds(), let last = try table.header(from: bounds.upperBound) else {
            return JournalPosition(batch: 1, sequence: 1, input: 1, effect: 1)
        }
        return JournalPosition(
            batch: last.id + 1, sequence: last.next, input: last.input + 1, effect: last.effect + 1)
    }

    /// The actions that were written down within some time; see `BatchTable`.
    package func sequences(
        writtenIn times: ClosedRange<Double>
    ) throws(JournalFailure) -> (bounds: ClosedRange<UInt64>, isWhole: Bool)? {
        try table.sequences(writtenIn: times)
    }

    /// How far it goes, by what its rows say.
    func extent() throws(JournalFailure) -> JournalExtent {
        try JournalFailure.told(of: path, .reading) { () throws(SQLiteError) in try JournalExtent(connection)
        }
    }

    /// Its name; nil before the first opening.
    package func name() throws(JournalFailure) -> String? {
        try JournalFailure.told(of: path, .reading) { () throws(SQLiteError) in
            try connection.prepare("SELECT name FROM epoch ORDER BY number DESC LIMIT 1").first { $0.text(0) }
        }
    }

    /// Whether the host that opened it last for writing has not ended in order; false before the first opening.
    func hasUnendedEpoch() throws(JournalFailure) -> Bool {
        try JournalFailure.told(of: path, .reading) { () throws(SQLiteError) in
            try connection.integer(
                "SELECT ended IS NULL FROM epoch ORDER BY number DESC LIMIT 1") == 1
        }
    }

    /// Why the last batch, which says where everything stands, cannot be relied on; nil where it can, and where there is none.
    func damageAtEnd() throws(JournalFailure) -> JournalDamage? {
        guard let last = try table.bounds()?.upperBound else { return nil }
        switch try table.rows(from: last).first {
        case nil: return JournalDamage(kind: .missing, batch: last, sequences: nil)
        case .unreadable(let id, let words):
            return JournalDamage(kind: .unreadable(words), batch: id, sequences: nil)
        case .stored(let header, let content):
            do throws(JournalDamage) { _ = try StoredBatch(header, content: content) } catch { return error }
            return header.id == last ? nil : JournalDamage(kind: .missing, batch: last, sequences: nil)
        }
    }

    /// The checksum at the end of the last batch, by which the next one names it; 0 where there is none.
    func lastChecksum() throws(JournalFailure) -> UInt32 {
        try JournalFailure.told(of: path, .reading) { () throws(SQLiteError) in
            try connection.prepare(
                "SELECT substr(content, -4) FROM batch WHERE id <= \(JournalNumbers.limit) ORDER BY id DESC LIMIT 1"
            ).first { UInt32(littleEndian: $0.bytes(0).suffix(4)) } ?? 0
        }
    }

    /// Compares the journal with the promise beside it; a restart needs everything that was promised.
    ///
    /// - Throws: what is less than was promised.
    package func compare(with found: JournalPromise.Found) throws(JournalFailure) {
        guard let content = found.content, try name() == content.name else { return }
        let extent = try extent()
        guard !extent.covers(content.extent) else { return }
        throw JournalFailure(
            path, .reading,
            content.isOfRestore
                ? .interruptedRestore : .shortfall(promised: content.extent, found: extent))
    }

    /// The records from one sequence to another, with what is damaged between them.
    ///
    /// - Parameter skipsOrphans: whether actions are passed over whose inputs went with a batch that was too old; they are damage otherwise.
    package func records(
        from first: UInt64 = 0, to last: UInt64 = .max, skipsOrphans: Bool = false
    ) -> JournalCursor {
        JournalCursor(table, from: first, to: last, skipsOrphans: skipsOrphans)
    }

    /// The records from one sequence to another for a restart, which needs all of them: one that is missing at the beginning or at the
    /// end is damage too.
    package func wholeRecords(from first: UInt64, to last: UInt64 = .max) throws(JournalFailure)
        -> JournalCursor
    {
        JournalCursor(table, from: first, to: last, end: try table.bounds()?.upperBound)
    }

    /// The number of the batch from which a reader must go on that knows everything before a sequence.
    func floor(of sequence: UInt64) throws(JournalFailure) -> Int64 {
        guard let id = try table.batch(with: sequence), let header = try table.header(from: id) else {
            return 1
        }
        return min(header.open, id)
    }

    /// The inputs that are not done, in order of number, and what is damaged where they would stand.
    package func openInputs() throws(JournalFailure) -> (
        inputs: [JournalInputRecord], damage: [JournalDamage]
    ) {
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

    /// The effects that were begun and have not ended, in order of number, with the actions that have started them.
    ///
    /// One whose action cannot be read any more has none.
    package func runningEffects() throws(JournalFailure) -> [JournalEffect] {
        let newest = try JournalFailure.told(of: path, .reading) { () throws(SQLiteError) in
            try SnapshotTable(connection).newestEffects()
        }
        var running: [UInt64: JournalEffect] = [:]
        // What begins anew of an action that a snapshot has, under a number of its own, has the action from there too.
        var kept: [UInt64: JournalEffect] = [:]
        for effect in newest?.effects ?? [] {
            running[effect.number] = effect
            if effect.action != nil, effect.sequence > 0 { kept[effect.sequence] = effect }
        }
        try forEach(from: newest?.batch ?? 0) { batch, _ in
            for effect in batch.begun {
                running[effect.number] = effect.over(running[effect.number] ?? kept[effect.sequence])
            }
            if !running.isEmpty {
                for run in batch.ended {
                    if run.count < running.count {
                        for number in run { running[number] = nil }
                    } else {
                        running = running.filter { !run.contains($0.key) }
                    }
                }
            }
        } damage: { _ in
        }
        return try withActions(running.values.sorted { $0.number < $1.number })
    }

    /// Effects with the actions that no snapshot has; goes once over what lies between the first and the last of those.
    private func withActions(_ effects: [JournalEffect]) throws(JournalFailure) -> [JournalEffect] {
        var effects = effects
        var wanted: [UInt64: [Int]] = [:]
        for (index, effect) in effects.enumerated() where effect.action == nil && effect.sequence > 0 {
            wanted[effect.sequence, default: []].append(index)
        }
        guard let first = wanted.keys.min(), let last = wanted.keys.max() else { return effects }
        let cursor = records(from: first, to: last)
        while let item = try cursor.next() {
            guard case .record(let record) = item else { continue }
            for index in wanted[record.sequence] ?? [] { effects[index].take(record) }
        }
        return effects
    }

    /// The snapshots that were read back when they were written, the newest first: those that can be read now, and why others
    /// cannot.
    package func snapshots() throws(JournalFailure) -> (good: [StoredSnapshot], damaged: [SnapshotDamage]) {
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
    package func generations() throws(JournalFailure) -> (
        records: [GenerationRecord], damaged: [GenerationDamage]
    ) {
        let last = try position().sequence - 1
        return try JournalFailure.told(of: path, .reading) { () throws(SQLiteError) in
            guard try JournalSchema.hasGenerations(connection) else { return ([], []) }
            return try GenerationTable(connection).records(notAfter: last)
        }
    }

    /// What writers have called their inputs after a time, oldest first, and what is damaged of it, as a sentence.
    package func names(after earliest: Double) throws(JournalFailure) -> (
        known: [(name: String, time: Double)], damage: String?
    ) {
        var known: [(name: String, time: Double)] = []
        var damage: String?
        try JournalFailure.told(of: path, .reading) { () throws(SQLiteError) in
            damage = try connection.damage(of: "seen").map {
                "the names of inputs are damaged: SQLite says: \($0)"
            }
            let statement = try connection.prepare(
                "SELECT id, time, input, checksum FROM seen ORDER BY input")
            try statement.forEach { row throws(SQLiteError) in
                let (name, time, input) = (row.text(0), row.number(1), UInt64(bitPattern: row.integer(2)))
                if !row.isNull(3), row.integer(3) != JournalIDs.checksum(of: name, input: input, time: time) {
                    damage = damage ?? "the name of input \(input) is damaged"
                } else if time > earliest {
                    known.append((name, time))
                }
                return true
            }
        }
        return (known, damage)
    }

    /// The dead letters in order of their numbers, and the numbers of those that are damaged.
    package func deadLetters() throws(JournalFailure) -> (letters: [DeadLetter], damaged: [Int64]) {
        try JournalFailure.told(of: path, .reading) { () throws(SQLiteError) in
            try DeadLetterTable(connection).letters()
        }
    }

    /// What is wrong with the pages of the dead letters, in SQLite's words; nil where nothing is.
    package func damageOfDeadLetters() throws(JournalFailure) -> String? {
        try JournalFailure.told(of: path, .reading) { () throws(SQLiteError) in
            try connection.damage(of: "dead")
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
            for run in batch.done { numbers.remove(run) }
        } damage: { _ in
        }
        return numbers
    }

    /// Calls a closure with each batch from a number on, and another one with those that cannot be read or found.
    ///
    /// Where the number is 0, the first batch that is there is the first that is wanted.
    func forEach(
        from id: Int64, _ body: (StoredBatch, BatchHeader) -> Void, damage: (JournalDamage) -> Void
    ) throws(JournalFailure) {
        guard let end = try table.bounds()?.upperBound else { return }
        var next = id
        var checksum: UInt32?
        while true {
            let rows = try table.rows(from: next)
            if rows.isEmpty {
                if next <= end, next > 0 { damage(missing(next)) }
                return
            }
            for row in rows {
                if case .stored(let header, _) = row, header.id != next, next > 0, try isNeeded(next) {
                    damage(missing(next))
                }
                switch row {
                case .unreadable(let id, let words):
                    damage(JournalDamage(kind: .unreadable(words), batch: id, sequences: nil))
                    next = id + 1
                    checksum = nil
                case .stored(let header, let content):
                    do throws(JournalDamage) {
                        let batch = try StoredBatch(header, content: content)
                        try batch.follow(header.id == next ? checksum : nil)
                        checksum = batch.checksum
                        body(batch, header)
                    } catch {
                        checksum = nil
                        damage(error)
                    }
                    next = header.id + 1
                }
            }
        }
    }
}

extension JournalReader {
    /// The damage of a batch that is not there.
    private func missing(_ id: Int64) -> JournalDamage {
        JournalDamage(kind: .missing, batch: id, sequences: nil)
    }

    /// Whether a batch belongs to what a host must not remove: one that writes beside may have removed it since.
    private func isNeeded(_ id: Int64) throws(JournalFailure) -> Bool {
        guard let bounds = try table.bounds(), bounds.lowerBound > id else { return true }
        guard let last = try table.header(from: bounds.upperBound) else { return true }
        return id >= min(last.open, last.id)
    }
}

/// Where a journal ends.
package struct JournalPosition: Equatable, Sendable {
    /// The number of the next batch.
    let batch: Int64
    /// The sequence of the next action.
    package let sequence: UInt64
    /// The number of the next input.
    package let input: UInt64
    /// The number of the next effect.
    let effect: UInt64

    /// The same, but that the first action of a journal without any has another number.
    func beginning(at sequence: UInt64) -> JournalPosition {
        guard batch == 1 else { return self }
        return JournalPosition(
            batch: batch, sequence: max(self.sequence, sequence), input: input, effect: effect)
    }
}
