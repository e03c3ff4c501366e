// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK
internal import GatehouseSQLite
private import Glibc

/// Writes to a journal's file; one transaction for all that is given at once.
///
/// It has many stored properties because one transaction goes through all of them: statements prepared once, the row being filled, and
/// how far each number has come.
///
/// `@unchecked Sendable`: after `init` only the turns of `JournalTurns` that write use it, which one thread takes, the only one that
/// takes works from the queue.
final class JournalCommitter: @unchecked Sendable {
    /// The path of the file.
    let path: String
    /// What SQLite writes with.
    let connection: SQLiteConnection
    /// The number of this opening.
    let epoch: Int
    /// What inputs and effects of this journal can be named by; stays the same as long as the file is there.
    let name: String
    /// The snapshots.
    let snapshots: SnapshotTable
    /// The generations.
    private let generations: GenerationTable
    /// The number of the newest generation's record; 0 before the first.
    private var generation: Int64 = 0
    /// The batches, to be looked at.
    private let reader: JournalReader
    /// What is trimmed when.
    private var retention: JournalRetention
    /// The clock, in seconds since 1970.
    let clock: @Sendable () -> Double
    /// Begins and ends transactions, inserts batches and what their writers call inputs.
    private let begin, end, insert, see: SQLiteStatement
    /// The blob of the row in hand.
    private var encoder = BatchEncoder()
    /// The row in hand; nil between two.
    private var row: (header: BatchHeader, generation: Int)?
    /// The number of the next batch.
    private(set) var nextBatch: Int64
    /// The sequence of the next action.
    private(set) var nextSequence: UInt64
    /// The greatest number of an input so far.
    private var latestInput: UInt64
    /// The greatest number of an effect so far.
    private var latestEffect: UInt64
    /// The inputs that are not done.
    private var openInputs = OpenNumbers()
    /// The effects that are running, by number.
    private(set) var effects: [UInt64: JournalEffect] = [:]
    /// How far the file goes, what waits for the end of the transaction included.
    private(set) var extent: JournalExtent
    /// The checksum of the last batch; 0 before the first.
    private var checksum: UInt32
    /// The number of the last snapshot that was begun.
    private var lastSnapshot: Int64 = 0

    /// How many bytes a row may have before the next one is begun.
    private static let rowBytes = 256 << 10

    /// Goes on after what is in the file, and begins an epoch.
    ///
    /// - Parameters:
    ///   - position: where it goes on.
    ///   - name: the journal's name.
    ///   - lastEpoch: the number of the newest epoch that is known from elsewhere.
    init(
        _ connection: SQLiteConnection, path: String, _ options: JournalWriter.Options,
        from position: JournalPosition, name: String, after lastEpoch: Int64
    ) throws(JournalFailure) {
        self.path = path
        self.connection = connection
        let clock = options.clock
        self.clock = clock
        snapshots = SnapshotTable(connection)
        generations = GenerationTable(connection)
        reader = try JournalReader(connection, path: path)
        nextBatch = position.batch
        nextSequence = position.sequence
        latestInput = position.input - 1
        latestEffect = position.effect - 1
        self.name = name
        (epoch, begin, end, insert, see) = try JournalFailure.told(of: path, .opening) {
            () throws(SQLiteError) in
            let epoch = try Self.beginEpoch(
                connection, after: lastEpoch, host: options.host, name: name, at: clock())
            try SnapshotTable(connection).removeUnfinished(after: position.sequence - 1)
            return (
                Int(epoch), try connection.prepare("BEGIN IMMEDIATE"), try connection.prepare("COMMIT"),
                try connection.prepare(
                    "INSERT INTO batch (id, first, count, input, effect, open, time, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
                ),
                try connection.prepare(
                    "INSERT OR REPLACE INTO seen (input, id, time, checksum) VALUES (?, ?, ?, ?)")
            )
        }
        retention = try JournalRetention(connection, path: path, options)
        let generations = generations
        (generation, extent) = try JournalFailure.told(of: path, .opening) { () throws(SQLiteError) in
            try generations.removeUnreached(after: position.sequence - 1)
            return (try generations.last(), try JournalExtent(connection))
        }
        checksum = try reader.lastChecksum()
        openInputs = try reader.openNumbers()
        for effect in try reader.runningEffects() { effects[effect.number] = effect }
    }

    /// Notes the beginning of an epoch; gives its number.
    private static func beginEpoch(
        _ connection: SQLiteConnection, after last: Int64, host: String, name: String, at time: Double
    ) throws(SQLiteError) -> Int64 {
        let newest = try connection.integer("SELECT coalesce(max(number), 0) FROM epoch") ?? 0
        let epoch = max(newest, last) + 1
        try connection.prepare("INSERT INTO epoch (number, began, host, name) VALUES (?, ?, ?, ?)")
            .run(epoch, time, host, name)
        return epoch
    }

    /// Writes everything in one transaction.
    func write(_ works: [JournalQueue.Work]) throws(JournalFailure) {
        try told { () throws(SQLiteError) in try begin.run() }
        for work in works {
            switch work {
            case .batch(let batch, _): try append(batch)
            case .other(let body, _):
                try finishRow()
                try body(self)
            }
        }
        try finishRow()
        let oldest = openInputs.oldestBatch() ?? nextBatch
        try told { () throws(SQLiteError) in
            try retention.trim(connection, at: clock(), below: min(oldest, nextBatch - 1))
        }
        try told { () throws(SQLiteError) in try end.run() }
    }

    /// Keeps the actions from a sequence on from being removed; nil for none.
    func hold(from sequence: UInt64?, _ onRemoval: (@Sendable (UInt64) -> Void)?) throws(JournalFailure) {
        guard let sequence else { return retention.hold(nil) }
        let batch = try reader.floor(of: sequence)
        retention.hold(JournalRetention.Hold(batch: batch, onRemoval: onRemoval))
    }

    /// Calls SQLite, and tells its errors as those of writing.
    func told<Result>(_ body: () throws(SQLiteError) -> Result) throws(JournalFailure) -> Result {
        try JournalFailure.told(of: path, .writing, body)
    }

    /// Notes the end of the epoch; the last thing that is written.
    func endEpoch() throws(JournalFailure) {
        try told { () throws(SQLiteError) in
            try connection.prepare("UPDATE epoch SET ended = ? WHERE number = ?").run(clock(), epoch)
        }
    }

    // MARK: Generations and snapshots

    /// Writes down a generation that reduces what comes from here on.
    func insert(_ record: GenerationRecord) throws(JournalFailure) {
        generation = try told { () throws(SQLiteError) in try generations.insert(record) }
        extent.generation = generation
    }

    /// Takes note of where a snapshot stands whose turn has come.
    func mark() throws(JournalFailure) -> SnapshotWriting.Mark {
        let id = try told { () throws(SQLiteError) in try snapshots.next() }
        lastSnapshot = max(lastSnapshot + 1, id)
        return SnapshotWriting.Mark(
            id: lastSnapshot, epoch: epoch, batch: nextBatch, generation: generation,
            effects: effects.values.sorted { $0.number < $1.number }, time: clock())
    }

    /// Writes what a snapshot is beside the states of its instances.
    func insert(
        _ mark: SnapshotWriting.Mark, _ snapshot: JournalSnapshot, _ rest: [UInt8]
    ) throws(JournalFailure) {
        let floor = min(try reader.floor(of: snapshot.sequence + 1), mark.batch)
        try told { () throws(SQLiteError) in
            try snapshots.insert(
                SnapshotTable.Row(
                    id: mark.id, sequence: snapshot.sequence, epoch: mark.epoch,
                    generation: snapshot.generation, batch: mark.batch, floor: floor, time: mark.time,
                    rest: rest))
        }
    }

    /// Relies on a snapshot that was read back.
    func keep(_ snapshot: Int64) throws(JournalFailure) {
        try told { () throws(SQLiteError) in
            try snapshots.keep(snapshot)
            try retention.look(at: snapshots)
        }
    }

    // MARK: Rows

    /// Puts a batch into the row in hand, or into the next one.
    private func append(_ batch: borrowing JournalBatch) throws(JournalFailure) {
        guard batch.entries.isEmpty || batch.firstSequence == nextSequence else {
            throw JournalFailure(
                path, .writing, .outOfTurn(expected: nextSequence, found: batch.firstSequence))
        }
        if let row,
            row.generation != batch.generation || encoder.count >= JournalQueue.closing
                || encoder.bytes.count >= Self.rowBytes
        {
            try finishRow()
        }
        let id = row?.header.id ?? beginRow(batch.generation)
        for input in batch.inputs {
            openInputs.insert(input.number, in: id)
            latestInput = max(latestInput, input.number)
            if let name = input.id { try keep(name, of: input.number) }
        }
        encoder.append(batch, latestInput: latestInput) { openInputs.contains($0) }
        for number in batch.done { openInputs.remove(number) }
        for effect in batch.running {
            effects[effect.number] = effect.over(effects[effect.number])
            latestEffect = max(latestEffect, effect.number)
        }
        for number in batch.ended { effects[number] = nil }
        nextSequence += UInt64(batch.entries.count)
    }

    /// Begins the next row, and gives its number.
    private func beginRow(_ generation: Int) -> Int64 {
        let header = BatchHeader(
            id: nextBatch, first: nextSequence, count: 0, input: latestInput, effect: latestEffect,
            open: openInputs.oldestBatch() ?? nextBatch, time: clock())
        row = (header, generation)
        nextBatch += 1
        encoder.begin(header, epoch: epoch, generation: generation, after: checksum)
        return header.id
    }

    /// Inserts the row in hand, if there is one.
    private func finishRow() throws(JournalFailure) {
        guard var header = row?.header else { return }
        row = nil
        header.count = encoder.count
        header.input = latestInput
        header.effect = latestEffect
        encoder.finish(header)
        checksum = encoder.checksum
        extent.batch = header.id
        extent.sequence = header.next - 1
        extent.input = latestInput
        try told { () throws(SQLiteError) in
            try insert.run(
                header.id, header.first, header.count, header.input, header.effect, header.open, header.time,
                lending: encoder.bytes)
        }
    }

    /// Remembers what a writer calls an input.
    private func keep(_ name: String, of input: UInt64) throws(JournalFailure) {
        try told { () throws(SQLiteError) in
            let time = clock()
            try see.run(input, name, time, JournalIDs.checksum(of: name, input: input, time: time))
        }
    }
}
