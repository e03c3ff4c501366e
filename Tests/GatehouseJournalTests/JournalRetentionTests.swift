// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSQLite
import Synchronization
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan

/// Which batches, names and generations go, at which look, and which stay.
@Suite(.timeLimit(.minutes(10))) struct JournalRetentionTests {
    /// The tables of a journal in which nothing is.
    private let connection: SQLiteConnection
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        connection = try JournalSchema.openForWriting(
            temporary("journal.sqlite"), isStrict: true, system: nil)
    }

    /// What keeps batches for 50 seconds, and names for 10.
    private func retention(bytes: Int = 1 << 40) throws -> JournalRetention {
        var options = JournalWriter.Options()
        (options.keptBytes, options.keptSeconds, options.window) = (bytes, 50, 10)
        return try JournalRetention(connection, path: temporary("journal.sqlite"), options)
    }

    /// Writes batches of three actions each, the later ones at a later time.
    private func insert(_ batches: ClosedRange<Int>, at time: Double = 1_000) throws {
        try connection.execute("BEGIN")
        for id in batches {
            try connection.execute(
                "INSERT INTO batch VALUES (\(id), \(id * 3 - 2), 3, 0, 0, \(id), \(time), x'00')")
        }
        try connection.execute("COMMIT")
    }

    /// Writes good snapshots that need the batches from some on.
    private func keep(_ floors: Int..., sequence: Int = 1_000_000) throws {
        for floor in floors {
            try connection.execute(
                "INSERT INTO snapshot SELECT coalesce(max(id), 0) + 1, \(sequence), 1, 1, 1, \(floor), 0, 1, x'00' FROM snapshot"
            )
        }
    }

    /// The first number in a column of a table.
    private func first(_ column: String = "id", of table: String = "batch") throws -> Int64? {
        try connection.integer("SELECT min(\(column)) FROM \(table)")
    }

    // MARK: - Age

    @Test func `a batch goes when it is older than it is to be kept, and not at that instant`() throws {
        try insert(1...4)
        try insert(5...6, at: 1_001)
        try keep(100, 100)
        var retention = try retention()
        try retention.trim(connection, at: 1_050, below: 100)
        #expect(try first() == 1)
        retention = try self.retention()
        try retention.trim(connection, at: 1_050.5, below: 100)
        #expect(try first() == 5)
    }

    @Test func `batches go from the oldest on, up to one that is to be kept`() throws {
        try insert(1...2)
        try insert(3...3, at: 2_000)
        try insert(4...6)
        try keep(100, 100)
        var retention = try retention()
        try retention.trim(connection, at: 1_500, below: 100)
        #expect(try first() == 3)
    }

    // MARK: - What is needed

    @Test func `without two good snapshots nothing goes`() throws {
        try insert(1...4)
        try keep(100)
        var retention = try retention()
        try retention.trim(connection, at: 9_000, below: 100)
        #expect(try first() == 1)
        try keep(100)
        try connection.execute("UPDATE snapshot SET isGood = 0 WHERE id = 2")
        retention = try self.retention()
        try retention.trim(connection, at: 9_000, below: 100)
        #expect(try first() == 1)
    }

    @Test func `what the older of the two newest good snapshots needs stays, and what somebody else needs`()
        throws
    {
        try insert(1...9)
        try keep(2, 4, 8)
        var retention = try retention()
        try retention.trim(connection, at: 9_000, below: 3)
        #expect(try first() == 3)
        retention = try self.retention()
        try retention.trim(connection, at: 9_000, below: 100)
        #expect(try first() == 4)
    }

    @Test func `snapshots that cannot be read are told at once, or nothing would ever go`() throws {
        try connection.execute("DROP TABLE snapshot")
        let failure = #expect(throws: JournalFailure.self) { try retention() }
        #expect(
            failure?.description
                == "\(temporary("journal.sqlite")): the journal cannot be opened: no such table: snapshot; restore a backup of the folder, or move it away to start from scratch"
        )
    }

    // MARK: - Size

    @Test func `a journal may have as many bytes as were granted, and not one more`() throws {
        try insert(1...4)
        try keep(100, 100)
        let used = try #require(
            try connection.integer(
                "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
            ))
        var retention = try retention(bytes: Int(used))
        try retention.trim(connection, at: 1_000, below: 100)
        #expect(try first() == 1)
        retention = try self.retention(bytes: Int(used) - 1)
        try retention.trim(connection, at: 1_000, below: 3)
        #expect(try first() == 3)
    }

    // MARK: - Looks

    @Test func `the next look comes with the 64th transaction`() throws {
        try insert(1...4)
        try keep(100, 100)
        var retention = try retention()
        try retention.trim(connection, at: 1_000, below: 100)
        for _ in 1...2 {
            for _ in 1...63 { try retention.trim(connection, at: 9_000, below: 100) }
            #expect(try first() == 1)
            try retention.trim(connection, at: 1_000, below: 100)
            #expect(try first() == 1)
        }
        for _ in 1...63 { try retention.trim(connection, at: 1_000, below: 100) }
        try retention.trim(connection, at: 9_000, below: 4)
        #expect(try first() == 4)
    }

    @Test func `256 batches go at once, and the rest of more with the next transaction`() throws {
        try insert(1...600)
        try keep(1_000, 1_000)
        var retention = try retention()
        try retention.trim(connection, at: 9_000, below: 1_000)
        #expect(try first() == 257)
        try retention.trim(connection, at: 9_000, below: 1_000)
        #expect(try first() == 513)
        try retention.trim(connection, at: 9_000, below: 600)
        #expect(try first() == 600)
        // Less than at once was possible, so it rests.
        try retention.trim(connection, at: 9_000, below: 1_000)
        #expect(try first() == 600)
    }

    @Test func `another snapshot is a reason to look, and so is another hold`() throws {
        try insert(1...9)
        try keep(3, 3)
        var retention = try retention()
        try retention.trim(connection, at: 9_000, below: 100)
        #expect(try first() == 3)
        try keep(5, 5)
        try retention.trim(connection, at: 9_000, below: 100)
        #expect(try first() == 3)
        try retention.look(at: SnapshotTable(connection))
        try retention.trim(connection, at: 9_000, below: 100)
        #expect(try first() == 5)
        try retention.trim(connection, at: 9_000, below: 100)
        try connection.execute("UPDATE snapshot SET floor = 100")
        try retention.look(at: SnapshotTable(connection))
        try retention.trim(connection, at: 9_000, below: 6)
        retention.hold(nil)
        try retention.trim(connection, at: 9_000, below: 7)
        #expect(try first() == 7)
    }

    // MARK: - Names

    @Test func `names of inputs go when the window is over, 256 at a look`() throws {
        try connection.execute("BEGIN")
        for input in 1...300 {
            try connection.execute(
                "INSERT INTO seen (input, id, time) VALUES (\(input), 'a', \(input < 299 ? 1_000 : 1_001))")
        }
        try connection.execute("COMMIT")
        var retention = try retention()
        try retention.trim(connection, at: 1_009.5, below: 100)
        #expect(try first("input", of: "seen") == 1)
        retention = try self.retention()
        try retention.trim(connection, at: 1_010, below: 100)
        #expect(try first("input", of: "seen") == 257)
        retention = try self.retention()
        try retention.trim(connection, at: 1_010, below: 100)
        #expect(try first("input", of: "seen") == 299)
    }

    // MARK: - Generations

    @Test func `generations go with their last action, but for the one in force at the oldest that stays`()
        throws
    {
        try insert(1...9)
        try keep(100, 100)
        let table = GenerationTable(connection)
        for sequence in [0, 3, 6, 7, 20] as [UInt64] {
            _ = try table.insert(
                GenerationRecord(
                    epoch: 1, number: 1, after: sequence, time: 0, plan: .nothing, change: GenerationChange())
            )
        }
        var retention = try retention()
        // Action 7 is the first that stays: generation 3 has reduced it.
        try retention.trim(connection, at: 9_000, below: 3)
        #expect(try first() == 3)
        #expect(try first(of: "generation") == 3)
    }

    @Test func `a generation stays that a snapshot may be of, where the next began after the same action`()
        throws
    {
        try insert(1...9)
        try keep(100, sequence: 5)
        try keep(100, sequence: 9)
        let table = GenerationTable(connection)
        for sequence in [0, 3, 5, 6] as [UInt64] {
            _ = try table.insert(
                GenerationRecord(
                    epoch: 1, number: 1, after: sequence, time: 0, plan: .nothing, change: GenerationChange())
            )
        }
        var retention = try retention()
        try retention.trim(connection, at: 9_000, below: 9)
        #expect(try first() == 9)
        // The snapshot after action 5 is of generation 2 or 3.
        #expect(try first(of: "generation") == 2)
    }

    // MARK: - Holds

    @Test func `what is held goes one look after it was announced, once`() throws {
        try insert(1...9)
        try keep(100, 100)
        let announced = Mutex<[UInt64]>([])
        var retention = try retention()
        retention.hold(
            JournalRetention.Hold(batch: 3) { last in announced.withLock { $0.append(last) } })
        try retention.trim(connection, at: 9_000, below: 3)
        #expect(announced.withLock { $0 } == [])
        #expect(try first() == 3)
        for _ in 1...64 { try retention.trim(connection, at: 9_000, below: 6) }
        // The last action of batch 5.
        #expect(announced.withLock { $0 } == [15])
        #expect(try first() == 3)
        for _ in 1...64 { try retention.trim(connection, at: 9_000, below: 6) }
        #expect(announced.withLock { $0 } == [15])
        #expect(try first() == 6)
    }

    @Test func `what is held for ever goes never, what lies before it does`() throws {
        try insert(1...9)
        try keep(100, 100)
        var retention = try retention()
        retention.hold(JournalRetention.Hold(batch: 3, onRemoval: nil))
        for _ in 1...200 { try retention.trim(connection, at: 9_000, below: 6) }
        #expect(try first() == 3)
        retention.hold(nil)
        try retention.trim(connection, at: 9_000, below: 6)
        #expect(try first() == 6)
    }
}
