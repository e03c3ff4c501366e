// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan

/// The rows of snapshots: how they are numbered, which are good, and which parts must be there.
@Suite(.timeLimit(.minutes(10))) struct SnapshotTableTests {
    /// The tables of a journal in which nothing is.
    private let connection: SQLiteConnection
    /// The snapshots in it.
    private let table: SnapshotTable
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        connection = try JournalSchema.openForWriting(
            temporary("journal.sqlite"), isStrict: true, system: nil)
        table = SnapshotTable(connection)
    }

    /// A state of two instances.
    private var state: SavedState {
        let entries = ["a", "b"].map { id in
            (
                id,
                SavedState.Entry(
                    plugin: "p", pointer: JSONPointer(tokens: [id]),
                    state: VersionedState(version: 1, value: ["id": .string(id)]), gate: "active",
                    position: nil)
            )
        }
        return SavedState(
            configured: [:], plain: ["x": 1], kept: [:], entries: Dictionary(uniqueKeysWithValues: entries))
    }

    /// Writes a snapshot with all its parts.
    private func insert(_ id: Int64, rest: [UInt8]? = nil) throws {
        let effects = [JournalEffect(number: 4, instance: "a", sequence: 3, key: "k")]
        let encoded = SnapshotTable.Encoded(state, effects: effects, generation: 9)
        for instance in encoded.instances { try table.insert(instance, of: id) }
        try table.insert(
            SnapshotTable.Row(
                id: id, sequence: UInt64(id) + 20, epoch: 2, generation: 3, batch: 5, floor: 4, time: 12.5,
                rest: rest ?? encoded.rest))
    }

    /// What is wrong with the newest snapshot; nil for nothing.
    private func damage() throws -> SnapshotDamage? {
        let row = try #require(try table.rows(isGood: false).first)
        do {
            _ = try table.snapshot(row)
            return nil
        } catch let damage as SnapshotDamage {
            return damage
        }
    }

    @Test func `a snapshot comes back as it was written`() throws {
        try insert(1)
        let row = try #require(try table.rows(isGood: false).first)
        #expect((row.id, row.sequence, row.epoch, row.generation) == (1, 21, 2, 3))
        #expect((row.batch, row.floor, row.time) == (5, 4, 12.5))
        let found = try table.snapshot(row)
        #expect(found.content == state)
        #expect(found.record == 9)
        #expect((found.id, found.sequence, found.epoch, found.generation) == (1, 21, 2, 3))
        #expect(found.time == 12.5)
        try table.keep(1)
        let running = try #require(try table.newestEffects())
        #expect(running.effects.map(\.number) == [4])
        #expect(running.batch == 5)
    }

    @Test func `a snapshot is not good before somebody says so, and the newest come first`() throws {
        for id in 1...3 as ClosedRange<Int64> { try insert(id) }
        #expect(try table.rows().isEmpty)
        #expect(try table.rows(isGood: false).map(\.id) == [3, 2, 1])
        try connection.execute("UPDATE snapshot SET isGood = 1 WHERE id < 3")
        #expect(try table.rows().map(\.id) == [2, 1])
    }

    @Test func `of good snapshots the two newest stay, with their states`() throws {
        for id in 1...4 as ClosedRange<Int64> { try insert(id) }
        try table.keep(1)
        #expect(try table.rows(isGood: false).map(\.id) == [4, 3, 2, 1])
        try table.keep(2)
        #expect(try table.rows(isGood: false).map(\.id) == [4, 3, 2, 1])
        try table.keep(4)
        #expect(try table.rows(isGood: false).map(\.id) == [4, 3, 2])
        #expect(try table.rows().map(\.id) == [4, 2])
        #expect(try connection.integer("SELECT min(snapshot) FROM slice") == 2)
    }

    @Test func `a snapshot is removed with its states, others are not`() throws {
        for id in 1...3 as ClosedRange<Int64> { try insert(id) }
        try table.remove(2)
        #expect(try table.rows(isGood: false).map(\.id) == [3, 1])
        #expect(try connection.integer("SELECT count(*) FROM slice") == 4)
        #expect(try connection.integer("SELECT count(*) FROM slice WHERE snapshot = 2") == 0)
    }

    @Test func `what was left unfinished is removed, also where only states were written`() throws {
        for id in 1...3 as ClosedRange<Int64> { try insert(id) }
        try table.keep(2)
        try connection.execute("DELETE FROM snapshot WHERE id = 3")
        try table.removeUnfinished(after: .max >> 1)
        #expect(try table.rows(isGood: false).map(\.id) == [2])
        #expect(try connection.integer("SELECT count(*) FROM slice") == 2)
        #expect(try connection.integer("SELECT max(snapshot) FROM slice") == 2)
    }

    @Test
    func `a state after actions that the journal does not have is removed, since their numbers come again`()
        throws
    {
        for id in 1...3 as ClosedRange<Int64> {
            try insert(id)
            try table.keep(id)
        }
        try table.removeUnfinished(after: 23)
        #expect(try table.rows().map(\.id) == [3, 2])
        try table.removeUnfinished(after: 22)
        #expect(try table.rows().map(\.id) == [2])
        #expect(try connection.integer("SELECT max(snapshot) FROM slice") == 2)
    }

    @Test func `snapshots are numbered after all of which anything is left`() throws {
        #expect(try table.next() == 1)
        try insert(1)
        #expect(try table.next() == 2)
        try table.insert(("a", CheckedBlob.bytes(of: 1)), of: 7)
        #expect(try table.next() == 8)
        try insert(9)
        try connection.execute("DELETE FROM slice")
        #expect(try table.next() == 10)
    }

    @Test func `states that are missing or changed are named, with the reason of the first`() throws {
        try insert(1)
        #expect(try damage() == nil)
        try connection.execute("UPDATE slice SET content = x'00' WHERE instance = 'b'")
        #expect(
            try damage()
                == SnapshotDamage(
                    sequence: 21, instances: ["b"], reason: "expected a checksum, found 1 bytes"))
        try connection.execute("DELETE FROM slice WHERE instance = 'a'")
        #expect(
            try damage()
                == SnapshotDamage(sequence: 21, instances: ["a", "b"], reason: "it is not there"))
    }

    @Test func `a state belongs to its instance and its snapshot`() throws {
        try insert(1)
        try connection.execute("UPDATE slice SET instance = CASE instance WHEN 'a' THEN 'b' ELSE 'a' END")
        #expect(try damage()?.instances == ["a", "b"])
        try connection.execute("DELETE FROM slice; DELETE FROM snapshot")
        try insert(1)
        try insert(2)
        try connection.execute("DELETE FROM slice WHERE snapshot = 2; UPDATE slice SET snapshot = 2")
        #expect(try damage()?.instances == ["a", "b"])
    }

    @Test(arguments: ["snapshot", "sequence", "epoch", "generation", "batch", "floor", "time"])
    func `a row that has changed is not that of its content`(column: String) throws {
        try insert(1)
        if column == "snapshot" {
            try connection.execute("UPDATE snapshot SET id = 2; UPDATE slice SET snapshot = 2")
        } else {
            try connection.execute("UPDATE snapshot SET \(column) = \(column) + 1")
        }
        #expect(try damage()?.reason.hasPrefix("expected another checksum of its ") == true)
        #expect(try damage()?.instances == [])
    }

    @Test func `what is no state of a host is no snapshot`() throws {
        try insert(1, rest: CheckedBlob.bytes(of: ["saved": ["form": 1]]))
        #expect(
            try damage()
                == SnapshotDamage(sequence: 21, instances: [], reason: "it has no instances"))
        try insert(2, rest: CheckedBlob.bytes(of: [:]))
        #expect(try damage()?.reason == "it has no instances")
        try insert(3, rest: CheckedBlob.bytes(of: ["saved": ["form": 2, "instances": [:]]]))
        #expect(try damage()?.reason.contains("expected the number 1") == true)
    }

    @Test func `a snapshot of an older host has no effects and no generation`() throws {
        let saved = SnapshotTable.Encoded.replacingInstances(of: SavedState.empty.value, by: Members())
        try insert(1, rest: CheckedBlob.bytes(of: ["saved": saved]))
        let found = try table.snapshot(try #require(try table.rows(isGood: false).first))
        #expect(found.record == 0)
        try table.keep(1)
        #expect(try table.newestEffects()?.effects.isEmpty == true)
        #expect(found.content == .empty)
    }

    @Test func `pages that SQLite cannot read are damage of the snapshot`() throws {
        try insert(1)
        let root = try #require(
            try connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'slice'"))
        _ = try connection.checkpoint(isTruncating: true)
        let copy = temporary("copy.sqlite")
        var bytes = try FileSystem.read(temporary("journal.sqlite"))
        bytes.replaceSubrange(
            Int(root - 1) * 4_096..<Int(root - 1) * 4_096 + 8, with: Array(repeating: 0xff, count: 8))
        try FileSystem.write(bytes, to: copy)
        let other = SnapshotTable(try SQLiteConnection(path: copy, .readingUnchanging))
        let row = try #require(try other.rows(isGood: false).first)
        let damage = #expect(throws: SnapshotDamage.self) { try other.snapshot(row) }
        #expect(
            damage
                == SnapshotDamage(
                    sequence: 21, instances: [], reason: "SQLite says: database disk image is malformed"))
    }

    @Test func `a table that is not there is no damage of a snapshot`() throws {
        try insert(1)
        let row = try #require(try table.rows(isGood: false).first)
        try connection.execute("DROP TABLE slice")
        #expect(throws: SQLiteError.self) { try table.snapshot(row) }
    }
}
