// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Synchronization
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseSupport

/// What one transaction writes into which rows.
@Suite(.timeLimit(.minutes(10))) struct JournalCommitterTests {
    /// A journal's folder.
    private let folder: String
    /// Writes to a new journal.
    private let committer: JournalCommitter
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = temporary("journal")
        try SystemFile.makeFolder(folder)
        committer = try JournalOpening(folder: folder, JournalWriter.Options()).committer
    }

    @Test func `a snapshot that waits between two batches stands between their rows`() throws {
        var history = JournalHistory(seed: 1)
        let marked = Mutex<Int64>(0)
        try committer.write([
            .batch(history.batch(inputs: 2, passes: 1), nil),
            .other(
                { committer throws(JournalFailure) in
                    let mark = try committer.mark()
                    marked.withLock { $0 = mark.batch }
                }, nil),
            .batch(history.batch(inputs: 2, passes: 1), nil),
        ])
        #expect(marked.withLock { $0 } == 2)
        #expect(try committer.connection.integer("SELECT max(id) FROM batch") == 2)
    }

    @Test func `a snapshot needs no batch before the first action that is not in it`() throws {
        for sequence in 1...4 as ClosedRange<UInt64> {
            var batch = JournalBatch(generation: 1, firstSequence: sequence)
            batch.entries = [JournalEntry(action: AnyAction("a"), source: .here(), time: nil)]
            try committer.write([.batch(batch, nil)])
        }
        try committer.write([
            .other(
                { committer throws(JournalFailure) in
                    let snapshot = JournalSnapshot(sequence: 2, generation: 1) {
                        () throws(CodingFailure) in .empty
                    }
                    try committer.insert(committer.mark(), snapshot, [])
                }, nil)
        ])
        #expect(try committer.connection.integer("SELECT floor FROM snapshot") == 3)
    }

    /// A batch of some actions.
    private func batch(
        _ first: UInt64, actions: Int = 1, generation: Int = 1, text: String = ""
    ) -> JournalBatch {
        var batch = JournalBatch(generation: generation, firstSequence: first)
        for _ in 0..<actions {
            batch.entries.append(
                JournalEntry(action: AnyAction("a", payload: .string(text)), source: .here(), time: nil))
        }
        return batch
    }

    /// An input.
    private func input(_ number: UInt64, id: String? = nil) -> JournalInput {
        JournalInput(number: number, source: .here(), line: Array(#"{"type":"a"}"#.utf8), id: id)
    }

    /// Writes batches in one transaction.
    private func write(_ batches: JournalBatch..., by committer: JournalCommitter? = nil) throws {
        try (committer ?? self.committer).write(batches.map { .batch($0, nil) })
    }

    /// The headers of all rows.
    private func headers() throws -> [BatchHeader] {
        let table = try BatchTable(committer.connection, path: committer.path)
        return try table.rows(from: 0).compactMap { row in
            if case .stored(let header, _) = row { header } else { nil }
        }
    }

    /// Another host that goes on with the journal.
    private func reopened(_ options: JournalWriter.Options = JournalWriter.Options()) throws -> JournalOpening
    {
        try JournalOpening(folder: folder, options)
    }

    // MARK: - Rows

    @Test func `what is written at once is one row, unless generations differ`() throws {
        try write(batch(1), batch(2, actions: 2), batch(4, generation: 2), batch(5, generation: 2))
        try write(batch(6, generation: 2))
        #expect(try headers().map(\.first) == [1, 4, 6])
        #expect(try headers().map(\.count) == [3, 2, 1])
        #expect(try headers().map(\.id) == [1, 2, 3])
        #expect(committer.nextBatch == 4)
        #expect(committer.nextSequence == 7)
    }

    @Test func `a row of 1,024 actions is full`() throws {
        try write(batch(1, actions: 1_000), batch(1_001, actions: 23), batch(1_024), batch(1_025))
        #expect(try headers().map(\.count) == [1_024, 1])
    }

    @Test func `a row of 256 KiB is full`() throws {
        let header = BatchHeader(id: 1, first: 1, count: 0, input: 0, effect: 0, open: 1, time: 0)
        func size(_ batch: JournalBatch) -> Int {
            var encoder = BatchEncoder()
            encoder.begin(header, epoch: 1, generation: 1, after: 0)
            encoder.append(batch, latestInput: 0) { _ in true }
            return encoder.bytes.count
        }
        let length = 256 << 10 - (size(batch(1, text: String(repeating: "x", count: 200_000))) - 200_000)
        for less in [1, 0] {
            let temporary = try TemporaryFolder()
            let committer = try JournalOpening(folder: temporary.path, JournalWriter.Options()).committer
            let first = batch(1, text: String(repeating: "x", count: length - less))
            #expect(size(first) == 256 << 10 - less)
            try write(first, batch(2), by: committer)
            #expect(try committer.connection.integer("SELECT count(*) FROM batch") == (less == 1 ? 1 : 2))
        }
    }

    @Test func `a row says what is open, and the greatest numbers so far`() throws {
        var first = batch(1)
        first.inputs = [input(4), input(2)]
        first.begun = [JournalEffect(number: 9, instance: "i", sequence: 1, key: "k")]
        var second = batch(2, generation: 2)
        second.inputs = [input(5)]
        second.done = [2]
        var third = batch(3, generation: 3)
        third.done = [4]
        third.ended = [9]
        try write(first, second, third, batch(4, generation: 4))
        #expect(try headers().map(\.input) == [4, 5, 5, 5])
        #expect(try headers().map(\.effect) == [9, 9, 9, 9])
        #expect(try headers().map(\.open) == [1, 1, 1, 2])
        #expect(
            committer.extent == JournalExtent(batch: 4, sequence: 4, input: 5, epoch: 1, generation: 0))
    }

    @Test func `a row has the time at which it was begun`() throws {
        var options = JournalWriter.Options()
        let time = Mutex(10.0)
        options.clock = { time.withLock { $0 } }
        let committer = try reopened(options).committer
        try write(batch(1), by: committer)
        time.withLock { $0 = 20 }
        try write(batch(2), by: committer)
        #expect(try headers().map(\.time) == [10, 20])
    }

    @Test func `an action out of turn is refused, and no batch without actions is`() throws {
        try write(JournalBatch(generation: 1, firstSequence: 77))
        #expect(try headers().map(\.first) == [1])
        #expect(
            throws: JournalFailure(committer.path, .writing, .outOfTurn(expected: 1, found: 2))
        ) { try write(batch(2)) }
    }

    @Test func `what cannot be written ends the transaction with its reason`() throws {
        let failure = JournalFailure("a", .writing, .closed)
        #expect(throws: failure) {
            try committer.write([
                .batch(batch(1), nil), .other({ _ throws(JournalFailure) in throw failure }, nil),
            ])
        }
        #expect(throws: JournalFailure.self) { try write(batch(2)) }
    }

    @Test func `what cannot be removed ends the transaction with its reason`() throws {
        try committer.connection.execute("DROP TABLE seen")
        let failure = #expect(throws: JournalFailure.self) { try write(batch(1)) }
        guard case .database(let error)? = failure?.reason else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(failure?.step == .writing)
        #expect(error.message == "no such table: seen")
    }

    @Test func `what is put between batches is done between their rows`() throws {
        let count = Mutex<[Int64?]>([])
        let look = JournalQueue.Work.other(
            { committer throws(JournalFailure) in
                let found = try committer.told { () throws(SQLiteError) in
                    try committer.connection.integer("SELECT sum(count) FROM batch")
                }
                count.withLock { $0.append(found) }
            }, nil)
        try committer.write([
            look, .batch(batch(1, actions: 2), nil), look, .batch(batch(3), nil), look, look,
        ])
        #expect(count.withLock { $0 } == [nil, 2, 3, 3])
        #expect(try headers().map(\.id) == [1, 2])
    }

    // MARK: - Inputs and effects

    @Test func `names of inputs are kept with their times and checksums`() throws {
        var options = JournalWriter.Options()
        options.clock = { 12.5 }
        let committer = try reopened(options).committer
        var batch = batch(1)
        batch.inputs = [input(4, id: "four"), input(5), input(6, id: "six")]
        try write(batch, by: committer)
        var seen: [String] = []
        try committer.connection.prepare("SELECT input, id, time, checksum FROM seen ORDER BY input").forEach
        {
            row throws(SQLiteError) in
            let isRight =
                row.integer(3)
                == JournalIDs.checksum(
                    of: row.text(1), input: UInt64(row.integer(0)), time: row.number(2))
            seen.append("\(row.integer(0)) \(row.text(1)) \(row.number(2)) \(isRight)")
            return true
        }
        #expect(seen == ["4 four 12.5 true", "6 six 12.5 true"])
    }

    @Test func `an input is referred to until it is done, in its own batch too`() throws {
        let source = ActionSource.here().caused(by: ActionCause(.input, 1))
        var first = JournalBatch(generation: 1, firstSequence: 1)
        first.inputs = [input(1)]
        first.entries = [JournalEntry(action: nil, source: source, time: nil)]
        first.done = [1]
        var second = JournalBatch(generation: 1, firstSequence: 2)
        second.entries = first.entries
        try write(first)
        try write(second)
        let records = try JournalReader(committer.connection, path: committer.path).plainRecords()
        #expect(records.map(\.type) == ["a", ""])
        #expect(records.map(\.encodingFailure) == [nil, "the input that it was is not known"])
    }

    @Test func `effects run until they have ended, and the next host knows them`() throws {
        var first = batch(1)
        first.begun = [3, 1, 2].map { JournalEffect(number: $0, instance: "i", sequence: 1, key: "k") }
        try write(first)
        var second = batch(2)
        second.ended = [1]
        second.resumed = [JournalEffect(number: 3, instance: "other", sequence: 1, key: "k")]
        try write(second)
        #expect(try committer.mark().effects.map(\.number) == [2, 3])
        #expect(committer.effects[3]?.instance == "other")
        let next = try reopened().committer
        #expect(next.effects.keys.sorted() == [2, 3])
        #expect(next.effects[3]?.action?.type.name == "a")
    }

    // MARK: - The next host

    @Test func `the next host counts on, and its rows follow the last one`() throws {
        var first = batch(1, actions: 2)
        first.inputs = [input(7)]
        first.begun = [JournalEffect(number: 9, instance: "i", sequence: 1, key: "k")]
        try write(first)
        let opening = try reopened()
        #expect(opening.start == JournalPosition(batch: 2, sequence: 3, input: 8, effect: 10))
        #expect(opening.committer.epoch == 2)
        #expect(opening.committer.name == committer.name)
        #expect(
            opening.committer.extent
                == JournalExtent(batch: 1, sequence: 2, input: 7, epoch: 2, generation: 0))
        try write(batch(3), by: opening.committer)
        let headers = try headers()
        #expect(headers.map(\.id) == [1, 2])
        #expect(headers.map(\.input) == [7, 7])
        #expect(headers.map(\.effect) == [9, 9])
        #expect(headers.map(\.open) == [1, 1])
        let reader = try JournalReader(folder: folder)
        #expect(try reader.items().count == 3)
        #expect(try reader.plainRecords().count == 3)
    }

    @Test func `an opening has the next number, also after one that is known from elsewhere`() throws {
        var options = JournalWriter.Options()
        (options.clock, options.host) = ({ 12.5 }, "some host")
        let position = JournalPosition(batch: 1, sequence: 1, input: 1, effect: 1)
        for (last, epoch) in [(0, 2), (7, 8), (3, 9)] as [(Int64, Int)] {
            let next = try JournalCommitter(
                committer.connection, path: committer.path, options, from: position, name: "n", after: last)
            #expect(next.epoch == epoch)
            #expect(next.extent.epoch == Int64(epoch))
        }
        let began = try committer.connection.prepare(
            "SELECT began, ended, host, name FROM epoch WHERE number = ?"
        ).first(9) { "\($0.number(0)) \($0.isNull(1)) \($0.text(2)) \($0.text(3))" }
        #expect(began == "12.5 true some host n")
        try committer.endEpoch()
        #expect(
            try committer.connection.integer("SELECT count(*) FROM epoch WHERE ended IS NOT NULL") == 1)
        #expect(
            try committer.connection.integer("SELECT number FROM epoch WHERE ended IS NOT NULL") == 1)
    }

    @Test func `what a host has left unfinished goes with the next opening`() throws {
        try committer.connection.execute(
            "INSERT INTO snapshot VALUES (1, 0, 1, 1, 1, 1, 0, 0, x'00'), (2, 0, 1, 1, 1, 1, 0, 1, x'00'); INSERT INTO slice VALUES (1, 7, 'a', x'00')"
        )
        _ = try reopened()
        #expect(try committer.connection.integer("SELECT min(id) FROM snapshot") == 2)
        #expect(try committer.connection.integer("SELECT count(*) FROM slice") == 0)
    }

    // MARK: - Generations

    /// A record of a generation that begins after an action.
    private func record(after sequence: UInt64) -> GenerationRecord {
        GenerationRecord(
            epoch: 1, number: 1, after: sequence, time: 0, plan: .nothing, change: GenerationChange())
    }

    @Test func `a generation is named by what is written from then on, and goes if it is never reached`()
        throws
    {
        #expect(try committer.mark().generation == 0)
        try write(batch(1, actions: 4))
        for sequence in [0, 4, 5] as [UInt64] { try committer.insert(record(after: sequence)) }
        #expect(committer.extent.generation == 3)
        #expect(try committer.mark().generation == 3)
        let next = try reopened().committer
        #expect(try next.connection.integer("SELECT max(id) FROM generation") == 2)
        #expect(next.extent.generation == 2)
        #expect(try next.mark().generation == 2)
    }

    // MARK: - Snapshots and what goes

    @Test func `snapshots that begin while others are written have numbers of their own`() throws {
        #expect(try [committer.mark().id, committer.mark().id] == [1, 2])
        try committer.connection.execute(
            "INSERT INTO snapshot VALUES (7, 0, 1, 1, 1, 1, 0, 0, x'00')")
        #expect(try [committer.mark().id, committer.mark().id] == [8, 9])
        #expect(try committer.mark().epoch == 1)
        #expect(try committer.mark().batch == 1)
    }

    @Test func `a snapshot needs no batch after the one in which its turn came`() throws {
        try write(batch(1))
        let mark = try committer.mark()
        try write(batch(2))
        try write(batch(3))
        let snapshot = JournalSnapshot(sequence: 3, generation: 8) { () throws(CodingFailure) in .empty }
        try committer.insert(mark, snapshot, [1, 2, 3, 4])
        let row = try #require(try committer.snapshots.rows(isGood: false).first)
        #expect((row.id, row.sequence, row.epoch, row.generation) == (1, 3, 1, 8))
        #expect((row.batch, row.floor) == (2, 2))
        #expect(row.rest.count == 4)
    }

    @Test func `the last batch stays, and those with inputs that are not done`() throws {
        let time = Mutex(0.0)
        var options = JournalWriter.Options()
        (options.keptSeconds, options.clock) = (10, { time.withLock { $0 } })
        let committer = try reopened(options).committer
        func keep() throws {
            for _ in 1...2 {
                let mark = try committer.mark()
                try committer.connection.execute(
                    "INSERT INTO snapshot VALUES (\(mark.id), 1000, 1, 1, 1, 1000, 0, 0, x'00')")
                try committer.keep(mark.id)
            }
        }
        var open = batch(3)
        open.inputs = [input(1)]
        for batch in [batch(1), batch(2), open, batch(4)] { try write(batch, by: committer) }
        time.withLock { $0 = 100 }
        try keep()
        try write(batch(5), by: committer)
        #expect(try headers().map(\.id) == [3, 4, 5])
        var done = batch(6)
        done.done = [1]
        try keep()
        time.withLock { $0 = 1_000 }
        try write(done, by: committer)
        #expect(try headers().map(\.id) == [6])
        try committer.hold(from: 6, nil)
        try write(batch(7), by: committer)
        #expect(try headers().map(\.id) == [6, 7])
        time.withLock { $0 = 2_000 }
        try keep()
        try write(batch(8), by: committer)
        #expect(try headers().map(\.id) == [6, 7, 8])
        try committer.hold(from: nil, nil)
        try write(batch(9), by: committer)
        #expect(try headers().map(\.id) == [8, 9])
    }
}
