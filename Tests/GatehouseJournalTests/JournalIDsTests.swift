// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Synchronization
import Testing

@testable import GatehouseJournal

/// Names that writers give their inputs: each is taken once within the window, also over a restart.
@Suite(.timeLimit(.minutes(10))) struct JournalIDsTests {
    @Test func `a name is known as long as the window`() {
        let time = Mutex(0.0)
        let ids = JournalIDs(window: 10, clock: { time.withLock { $0 } })
        #expect(ids.insert("a"))
        time.withLock { $0 = 9.5 }
        #expect(ids.insert("b"))
        #expect(!ids.insert("a"))
        time.withLock { $0 = 10 }
        #expect(ids.insert("a"))
        #expect(!ids.insert("b"))
        #expect(ids.count == 2)
    }

    @Test func `many names do not stay in memory`() {
        let time = Mutex(0.0)
        let ids = JournalIDs(window: 10, clock: { time.withLock { $0 } })
        for number in 0..<10_000 {
            time.withLock { $0 = Double(number) }
            #expect(ids.insert("\(number)"))
        }
        #expect(ids.count == 10)
    }

    @Test func `without a window every name is new`() {
        let ids = JournalIDs(window: 0, clock: { 0 })
        #expect(!ids.isAsked)
        #expect(ids.insert("a"))
        #expect(ids.insert("a"))
        #expect(ids.count == 0)
    }

    @Test func `names are known after a restart, and go when the window is over`() throws {
        let temporary = try TemporaryFolder()
        let folder = temporary("journal")
        let time = Mutex(1_000.0)
        var options = JournalWriter.Options()
        options.window = 60
        options.clock = { time.withLock { $0 } }
        var writer = try JournalWriter(folder: folder, options)
        for number in 1...3 as ClosedRange<UInt64> {
            var batch = JournalBatch(generation: 1, firstSequence: 1)
            batch.inputs = [
                JournalInput(
                    number: number, source: .here(), line: Array(#"{"type":"a"}"#.utf8), id: "id \(number)")
            ]
            try writer.commit(batch)
            time.withLock { $0 += 25 }
        }
        writer.close()
        writer = try JournalWriter(folder: folder, options)
        let ids = try writer.ids()
        #expect(ids.count == 2)
        #expect(!ids.insert("id 3"))
        #expect(!ids.insert("id 2"))
        #expect(ids.insert("id 1"))
        var batch = JournalBatch(generation: 1, firstSequence: 1)
        batch.done = [1]
        try writer.commit(batch)
        writer.close()
        let reader = try JournalReader(folder: folder)
        #expect(try reader.connection.integer("SELECT count(*) FROM seen") == 2)
        #expect(try reader.openInputs().inputs.map(\.id) == ["id 2", "id 3"])
    }

    @Test func `a restart at the end of the window forgets a name`() throws {
        let temporary = try TemporaryFolder()
        let time = Mutex(1_000.0)
        var options = JournalWriter.Options()
        options.window = 60
        options.clock = { time.withLock { $0 } }
        let writer = try JournalWriter(folder: temporary("journal"), options)
        defer { writer.close() }
        var batch = JournalBatch(generation: 1, firstSequence: 1)
        batch.inputs = [
            JournalInput(number: 1, source: .here(), line: Array(#"{"type":"a"}"#.utf8), id: "id")
        ]
        try writer.commit(batch)
        time.withLock { $0 = 1_059 }
        #expect(try writer.ids().count == 1)
        time.withLock { $0 = 1_060 }
        #expect(try writer.ids().count == 0)
    }
}
