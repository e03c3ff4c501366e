// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan

/// What a reader makes of batches: where the journal ends, what is open in it, and what is damaged there.
@Suite(.timeLimit(.minutes(10))) struct ReadBatchesTests {
    /// The journal.
    private let rows: JournalRows
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        rows = try JournalRows(in: temporary.path)
    }

    /// An effect that an action has begun.
    private func effect(_ number: UInt64, after sequence: UInt64) -> JournalEffect {
        JournalEffect(number: number, instance: "mail", sequence: sequence, key: "k")
    }

    // MARK: - The end

    @Test func `a journal without batches begins with 1`() throws {
        let reader = try rows.reader
        #expect(try reader.bounds() == nil)
        #expect(try reader.position() == JournalPosition(batch: 1, sequence: 1, input: 1, effect: 1))
        #expect(try reader.damageAtEnd() == nil)
        #expect(try reader.lastChecksum() == 0)
        #expect(try reader.floor(of: 5) == 1)
        #expect(try reader.openInputs().inputs.isEmpty)
        #expect(try reader.runningEffects().isEmpty)
        #expect(try reader.name() == nil)
    }

    @Test func `the next writer goes on after the last batch`() throws {
        var rows = rows
        try rows.insert(3, from: 5, latestInput: 9)
        #expect(try rows.reader.bounds() == nil)
        #expect(try rows.reader.position() == JournalPosition(batch: 4, sequence: 5, input: 10, effect: 1))
        try rows.insert(4, from: 5, actions: 1, begun: [effect(7, after: 5)], latestInput: 12)
        #expect(try rows.reader.bounds() == 5...5)
        #expect(try rows.reader.position() == JournalPosition(batch: 5, sequence: 6, input: 13, effect: 8))
        try rows.insert(5, from: 6, actions: 3, latestInput: 12)
        #expect(try rows.reader.bounds() == 5...8)
        #expect(try rows.reader.position() == JournalPosition(batch: 6, sequence: 9, input: 13, effect: 1))
    }

    @Test func `a last batch that is damaged is told`() throws {
        var rows = rows
        try rows.insert(1, from: 1, actions: 1)
        try rows.insert(2, from: 2, actions: 1)
        try rows.change(1)
        #expect(try rows.reader.damageAtEnd() == nil)
        try rows.change(2)
        #expect(
            try rows.reader.damageAtEnd()
                == JournalDamage(
                    kind: .changed("expected another checksum at byte 1 of its content"), batch: 2,
                    sequences: 2...2))
        // One that no host could have given a number.
        try rows.connection.execute("UPDATE batch SET id = 9223372036854775807 WHERE id = 2")
        #expect(
            try rows.reader.damageAtEnd()
                == JournalDamage(kind: .missing, batch: .max, sequences: nil))
    }

    @Test func `the checksum of the last batch is that of its content`() throws {
        try rows.connection.execute(
            "INSERT INTO batch VALUES (1, 1, 0, 0, 0, 1, 0, x'01020304'), (2, 1, 0, 0, 0, 1, 0, x'ffff0a0b0c0d')"
        )
        #expect(try rows.reader.lastChecksum() == 0x0D0C_0B0A)
        try rows.remove(2)
        #expect(try rows.reader.lastChecksum() == 0x0403_0201)
    }

    @Test func `a journal is called what its newest opening says`() throws {
        try rows.connection.execute(
            "INSERT INTO epoch VALUES (1, 0, NULL, 'host', 'one'), (2, 0, NULL, 'host', 'two')")
        #expect(try rows.reader.name() == "two")
    }

    @Test func `whoever must know all before an action begins at the oldest open batch of its own`() throws {
        var rows = rows
        try rows.insert(1, from: 1, inputs: [1], actions: 1)
        try rows.insert(2, from: 2, actions: 2, open: 1)
        try rows.insert(3, from: 4, actions: 1)
        #expect(try rows.reader.floor(of: 1) == 1)
        #expect(try rows.reader.floor(of: 3) == 1)
        #expect(try rows.reader.floor(of: 4) == 3)
        #expect(try rows.reader.floor(of: 5) == 3)
    }

    // MARK: - The promise

    @Test func `a journal is compared with the promise that has its name`() throws {
        var rows = rows
        try rows.insert(1, from: 1, actions: 2, latestInput: 3)
        try rows.connection.execute("INSERT INTO epoch VALUES (1, 0, NULL, 'host', 'one')")
        let reader = try rows.reader
        let extent = JournalExtent(batch: 1, sequence: 2, input: 3, epoch: 1)
        #expect(try reader.extent() == extent)
        func compare(_ extent: JournalExtent, name: String = "one") throws {
            try reader.compare(with: .content(JournalPromise.Content(name: name, extent: extent)))
        }
        try compare(extent)
        try reader.compare(with: .nothing)
        try reader.compare(with: .damaged)
        let more = JournalExtent(batch: 1, sequence: 3, input: 3, epoch: 1)
        try compare(more, name: "two")
        #expect(
            throws: JournalFailure(rows.path, .reading, .shortfall(promised: more, found: extent))
        ) { try compare(more) }
        #expect(throws: JournalFailure(rows.path, .reading, .interruptedRestore)) {
            try compare(.unreachable)
        }
    }

    // MARK: - Inputs

    @Test func `inputs are open until they are done, in order of number`() throws {
        var rows = rows
        try rows.insert(1, from: 1, inputs: [2, 1, 3, 4, 5])
        try rows.insert(2, from: 1, inputs: [6], done: [3], open: 1)
        var reader = try rows.reader
        #expect(try reader.openInputs().inputs.map(\.number) == [1, 2, 4, 5, 6])
        // A run of more numbers than are open.
        try rows.insert(3, from: 1, done: [1, 2, 3, 4, 5], open: 1)
        reader = try rows.reader
        #expect(try reader.openInputs().inputs.map(\.number) == [6])
        let numbers = try reader.openNumbers()
        #expect((1...7).map { numbers.contains($0) } == [false, false, false, false, false, true, false])
        var oldest = numbers
        #expect(oldest.oldestBatch() == 2)
        try rows.insert(4, from: 1, done: [6], open: 2)
        #expect(try rows.reader.openInputs().inputs.isEmpty)
    }

    @Test func `an input comes back with its place, name and line`() throws {
        var rows = rows
        try rows.insert(1, from: 1, inputs: [4])
        #expect(
            try rows.reader.openInputs().inputs == [
                JournalInputRecord(
                    number: 4, file: "in", line: 7, instance: nil, id: nil,
                    bytes: Array(#"{"type":"input/4"}"#.utf8), encodingFailure: nil)
            ])
    }

    @Test func `of open inputs what is missing or changed is told by batch, once each`() throws {
        var rows = rows
        for id in 1...6 as ClosedRange<Int64> {
            try rows.insert(id, from: 1, inputs: [UInt64(id)], open: min(id, 2))
        }
        func told() throws -> ([UInt64], [String]) {
            let (inputs, damage) = try rows.reader.openInputs()
            return (
                inputs.map(\.number),
                damage.map { "\($0.kind == .missing ? "missing" : "changed") \($0.batch)" }
            )
        }
        // Those before the oldest that is open are not looked at.
        #expect(try told() == ([2, 3, 4, 5, 6], []))
        try rows.change(4)
        #expect(try told() == ([2, 3, 5, 6], ["changed 4"]))
        try rows.remove(4)
        #expect(try told() == ([2, 3, 5, 6], ["missing 4"]))
        try rows.remove(1)
        try rows.remove(2)
        #expect(try told() == ([3, 5, 6], ["missing 2", "missing 4"]))
    }

    @Test func `a batch that follows another than the one that is there is told`() throws {
        var rows = rows
        try rows.insert(1, from: 1, inputs: [1])
        try rows.insert(2, from: 1, inputs: [2], open: 1)
        try rows.remove(2)
        try rows.insert(2, from: 1, inputs: [2], open: 1)
        try rows.insert(3, from: 1, inputs: [3], open: 1)
        let (inputs, damage) = try rows.reader.openInputs()
        #expect(inputs.map(\.number) == [1, 3])
        #expect(damage.map(\.batch) == [2])
    }

    /// The batches from a number on, and the damage between them.
    private func told(_ rows: JournalRows, from id: Int64) throws -> String {
        var parts: [String] = []
        try rows.reader.forEach(from: id) { batch, header in
            parts.append("\(header.id)")
            if batch.header != header { parts.append("?") }
        } damage: { damage in
            parts.append("[\(damage.batch)]")
        }
        return parts.joined(separator: " ")
    }

    @Test func `batches are told from a number on, and from 0 those that are there`() throws {
        var rows = rows
        for id in 3...6 as ClosedRange<Int64> { try rows.insert(id, from: 1, open: 2) }
        #expect(try told(rows, from: 0) == "3 4 5 6")
        #expect(try told(rows, from: 2) == "[2] 3 4 5 6")
        #expect(try told(rows, from: 5) == "5 6")
        #expect(try told(rows, from: 7) == "")
        try rows.remove(4)
        #expect(try told(rows, from: 0) == "3 [4] 5 6")
        #expect(try told(rows, from: 4) == "[4] 5 6")
        try rows.insert(7, from: 1, open: 3)
        // What nobody needs any more may have been removed by a host beside.
        #expect(try told(rows, from: 2) == "3 [4] 5 6 7")
        #expect(try told(rows, from: 1) == "3 [4] 5 6 7")
    }

    @Test func `more batches than are read at a time are told without gaps`() throws {
        var rows = rows
        try rows.connection.execute("BEGIN")
        for id in 1...600 as ClosedRange<Int64> {
            try rows.insert(id, from: 1, inputs: [UInt64(id)], open: 1)
        }
        try rows.connection.execute("COMMIT")
        let (inputs, damage) = try rows.reader.openInputs()
        #expect(inputs.map(\.number) == Array(1...600))
        #expect(damage.isEmpty)
    }

    @Test func `pages that cannot be read are told by each batch in them`() throws {
        var rows = rows
        for id in 1...6 as ClosedRange<Int64> {
            try rows.insert(id, from: UInt64(id), inputs: [UInt64(id)], actions: 1, open: 1, size: 3_000)
        }
        _ = try rows.connection.checkpoint(isTruncating: true)
        let copy = temporary("copy.sqlite")
        try FileSystem.write(FileSystem.read(rows.path), to: copy)
        try JournalRows.damagePage(of: 3, in: copy)
        let reader = try JournalReader(SQLiteConnection(path: copy, .readingUnchanging), path: copy)
        let (inputs, damage) = try reader.openInputs()
        #expect(inputs.map(\.number) == [1, 2, 4, 5, 6])
        #expect(
            damage == [
                JournalDamage(
                    kind: .unreadable("database disk image is malformed"), batch: 3, sequences: nil)
            ])
    }

    // MARK: - Effects

    @Test func `effects run until they have ended, and have the actions that have begun them`() throws {
        var rows = rows
        try rows.insert(
            1, from: 1, actions: 2, begun: [effect(9, after: 2), effect(4, after: 1), effect(5, after: 1)])
        try rows.insert(
            2, from: 3, actions: 1, begun: [effect(6, after: 3), effect(7, after: 0)], ended: [5])
        let running = try rows.reader.runningEffects()
        #expect(running.map(\.number) == [4, 6, 7, 9])
        #expect(running.map { $0.action?.type.name } == ["a/1", "a/2", nil, "a/1"])
        try rows.insert(3, from: 4, ended: [1, 2, 3, 4, 5, 6, 7])
        #expect(try rows.reader.runningEffects().map(\.number) == [9])
        try rows.insert(4, from: 4, begun: [effect(10, after: 1)], ended: [9])
        #expect(try rows.reader.runningEffects().map(\.number) == [10])
    }

    @Test func `of an effect that was written again the last record counts`() throws {
        var rows = rows
        var again = effect(4, after: 1)
        again.attempt = 2
        try rows.insert(1, from: 1, actions: 1, begun: [effect(4, after: 1)])
        try rows.insert(2, from: 2, begun: [again])
        #expect(try rows.reader.runningEffects().map(\.attempt) == [2])
    }

    @Test func `effects before the newest snapshot are those that it has`() throws {
        var rows = rows
        var known = effect(4, after: 1)
        known.action = AnyAction("b")
        try rows.insert(1, from: 1, actions: 2, begun: [effect(3, after: 1)])
        try rows.insert(2, from: 3, begun: [effect(5, after: 2), effect(6, after: 1), effect(7, after: 0)])
        let table = SnapshotTable(rows.connection)
        let encoded = SnapshotTable.Encoded(.empty, effects: [known], generation: 0)
        try table.insert(
            SnapshotTable.Row(
                id: 1, sequence: 1, epoch: 1, generation: 1, batch: 2, floor: 1, time: 0, rest: encoded.rest))
        try table.keep(1)
        let running = try rows.reader.runningEffects()
        #expect(running.map(\.number) == [4, 5, 6, 7])
        // What begins anew of an action that the snapshot has, under a number of its own, needs no record of it.
        #expect(running.map { $0.action?.type.name } == ["b", "a/1", "b", nil])
        try rows.change(1)
        #expect(try rows.reader.runningEffects().map { $0.action?.type.name } == ["b", nil, "b", nil])
    }

    @Test func `an effect whose action is gone has none`() throws {
        var rows = rows
        try rows.insert(1, from: 1, actions: 1)
        try rows.insert(2, from: 2, actions: 1, begun: [effect(4, after: 1), effect(5, after: 2)])
        try rows.change(1)
        #expect(try rows.reader.runningEffects().map { $0.action?.type.name } == [nil, "a/2"])
    }

    // MARK: - Dead letters

    @Test func `pages of dead letters that cannot be read are told`() throws {
        #expect(try rows.reader.damageOfDeadLetters() == nil)
        var letter = DeadLetter(
            .late, type: "dead/letter", action: [], from: nil, instance: nil, time: 0, reason: "r")
        letter.id = 1
        try DeadLetterTable(rows.connection).insert(letter)
        let root = try #require(
            try rows.connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'dead'"))
        _ = try rows.connection.checkpoint(isTruncating: true)
        let copy = temporary("copy.sqlite")
        var bytes = try FileSystem.read(rows.path)
        // The number of its rows.
        bytes[Int(root - 1) * 4_096 + 4] = 9
        try FileSystem.write(bytes, to: copy)
        let reader = try JournalReader(SQLiteConnection(path: copy, .readingUnchanging), path: copy)
        #expect(try reader.damageOfDeadLetters()?.isEmpty == false)
    }
}
