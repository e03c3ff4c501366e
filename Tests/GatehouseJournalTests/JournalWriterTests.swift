// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Glibc
import SeededTesting
import Synchronization
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseSupport

/// What is written comes back, in order, from the journal that the next host opens.
@Suite(.timeLimit(.minutes(10))) struct JournalWriterTests {
    /// A journal's folder.
    private let folder: String
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = temporary("journal")
    }

    @Test(arguments: JournalMode.allCases, [1, 2, 3] as [UInt64])
    func `every action comes back with what led to it`(mode: JournalMode, seed: UInt64) throws {
        var history = JournalHistory(seed: seed)
        let writer = try JournalWriter(folder: folder, .init(mode: mode))
        for _ in 0..<50 {
            let inputs = Int.random(in: 0...30, using: &history.generator)
            let passes = Int.random(in: 0...30, using: &history.generator)
            writer.submit(history.batch(inputs: inputs, passes: passes))
        }
        writer.close()
        #expect(writer.failure == nil)
        let reader = try JournalReader(folder: folder)
        #expect(try reader.plainRecords() == history.records)
        #expect(try reader.bounds() == 1...UInt64(history.records.count))
        for first in [1, 2, history.nextSequence / 3, history.nextSequence - 1] {
            let last = min(first + 40, history.nextSequence - 1)
            #expect(
                try reader.plainRecords(from: first, to: last)
                    == Array(history.records[Int(first - 1)..<Int(last)]), "from \(first)")
        }
        let open = try reader.openInputs()
        #expect(open.inputs == history.open.sorted { $0.number < $1.number })
        #expect(open.damage.isEmpty)
    }

    @Test func `the next opening goes on after the last`() throws {
        var history = JournalHistory(seed: 4)
        for epoch in 1...3 {
            let writer = try JournalWriter(folder: folder)
            #expect(writer.epoch == epoch)
            #expect(writer.start.sequence == history.nextSequence)
            #expect(writer.start.input == history.nextInput)
            for _ in 0..<5 { try writer.commit(history.batch(inputs: 5, passes: 4)) }
            writer.close()
        }
        let reader = try JournalReader(folder: folder)
        #expect(try reader.plainRecords() == history.records)
        #expect(try reader.openInputs().inputs.map(\.number) == history.open.map(\.number).sorted())
        let epochs = try reader.items().map { item in
            guard case .record(let record) = item else { return 0 }
            return record.epoch
        }
        #expect(Set(epochs) == [1, 2, 3])
        #expect(epochs == epochs.sorted())
    }

    @Test func `a reader beside the host sees what is committed, and goes on later`() throws {
        var history = JournalHistory(seed: 5)
        let writer = try JournalWriter(folder: folder)
        try writer.commit(history.batch(inputs: 10, passes: 10))
        let reader = try JournalReader(folder: folder)
        let cursor = reader.records()
        var count = 0
        while try cursor.next() != nil { count += 1 }
        #expect(count == history.records.count)
        try writer.commit(history.batch(inputs: 10, passes: 10))
        while try cursor.next() != nil { count += 1 }
        #expect(count == history.records.count)
        writer.close()
    }

    @Test func `what waits is told in order when it is on the disk`() throws {
        var history = JournalHistory(seed: 6)
        let writer = try JournalWriter(folder: folder)
        let told = Mutex<[Int]>([])
        for number in 0..<100 {
            writer.submit(history.batch(inputs: 3, passes: 3)) { failure in
                #expect(failure == nil)
                told.withLock { $0.append(number) }
            }
        }
        writer.close()
        #expect(told.withLock { $0 } == Array(0..<100))
        #expect(try JournalReader(folder: folder).plainRecords() == history.records)
    }

    @Test func `a second host is told who has the journal`() throws {
        let writer = try JournalWriter(folder: folder)
        let failure = #expect(throws: JournalFailure.self) { try JournalWriter(folder: folder) }
        #expect(
            failure?.description
                == "\(folder)/journal.sqlite: the journal cannot be opened: another host is using it, process \(getpid()); end that one, or give each host a folder of its own"
        )
        writer.close()
        withExtendedLifetime(writer) {}
    }

    @Test func `an action out of turn is refused, and nothing after it is taken`() throws {
        let told = Mutex<[String]>([])
        let writer = try JournalWriter(
            folder: folder, .init(onFailure: { failure in told.withLock { $0.append("\(failure)") } }))
        var batch = JournalBatch(generation: 1, firstSequence: 5)
        batch.entries = [
            JournalEntry(action: JournalHistory.action("a", 1), source: .here(), time: nil)
        ]
        let failure = #expect(throws: JournalFailure.self) { try writer.commit(batch) }
        let words =
            "\(folder)/journal.sqlite: the journal cannot be written: expected action 1, found action 5; report this mistake of the host, and start it again"
        #expect(failure?.description == words)
        var right = JournalBatch(generation: 1, firstSequence: 1)
        right.entries = batch.entries
        let later = #expect(throws: JournalFailure.self) { try writer.commit(right) }
        #expect(later == failure)
        #expect(writer.failure == failure)
        writer.close()
        #expect(told.withLock { $0 } == [words])
        #expect(try JournalReader(folder: folder).bounds() == nil)
    }

    @Test func `a journal without actions may begin with any number, and one that has some goes on`() throws {
        var options = JournalWriter.Options()
        options.firstAction = 42
        for first in [42, 43] as [UInt64] {
            let writer = try JournalWriter(folder: folder, options)
            #expect(writer.start.sequence == first)
            var batch = JournalBatch(generation: 1, firstSequence: first)
            batch.entries = [JournalEntry(action: AnyAction("a"), source: .here(), time: nil)]
            try writer.commit(batch)
            writer.close()
        }
        #expect(try JournalReader(folder: folder).bounds() == 42...43)
    }

    @Test func `a closed journal takes nothing`() throws {
        let writer = try JournalWriter(folder: folder)
        writer.close()
        let failure = #expect(throws: JournalFailure.self) {
            try writer.commit(JournalBatch(generation: 1, firstSequence: 1))
        }
        #expect(
            failure?.description
                == "\(folder)/journal.sqlite: the journal cannot be written: it was closed; start the host again"
        )
    }

    @Test func `a configuration says in megabytes, days and seconds what the writer keeps`() {
        let options = JournalWriter.Options(
            JournalConfiguration(mode: .relaxed, keep: .init(megabytes: 3, days: 2), deduplicate: 5))
        #expect(options.mode == .relaxed)
        #expect(options.keptBytes == 3_145_728)
        #expect(options.keptSeconds == 172_800)
        #expect(options.window == 5)
        let usual = JournalWriter.Options(JournalConfiguration())
        #expect(usual.mode == .strict)
        #expect(usual.keptBytes == 1_073_741_824)
        #expect(usual.keptSeconds == 604_800)
        #expect(usual.window == 600)
    }

    @Test func `the size is that of the file and of its log`() throws {
        let writer = try JournalWriter(folder: folder)
        var history = JournalHistory(seed: 7)
        try writer.commit(history.batch(inputs: 3, passes: 3))
        let sizes = try ["journal.sqlite", "journal.sqlite-wal"].map { name in
            try FileSystem.read(folder + "/" + name).count
        }
        #expect(sizes.allSatisfy { $0 > 0 })
        #expect(writer.bytes == sizes.reduce(0, +))
        writer.close()
    }

    @Test func `an epoch has its end once the journal is closed`() throws {
        var options = JournalWriter.Options()
        options.clock = { 1_000 }
        let writer = try JournalWriter(folder: folder, options)
        let ended = "SELECT ended FROM epoch WHERE number = 1"
        #expect(try JournalReader(folder: folder).connection.integer(ended) == nil)
        writer.close()
        #expect(try JournalReader(folder: folder).connection.integer(ended) == 1_000)
    }

    @Test func `what nobody chooses is strict, keeps a gibibyte for a week, and names for ten minutes`() {
        let options = JournalWriter.Options()
        #expect(options.mode == .strict)
        #expect(options.host == "gatehouse")
        #expect(options.keptBytes == 1_073_741_824)
        #expect(options.keptSeconds == 604_800)
        #expect(options.window == 600)
        #expect(!options.acceptsLoss)
        #expect(options.system == nil)
    }

    @Test func `the clock is that of the system`() {
        let before = UnixTime.now
        let now = options.clock()
        #expect(before <= now)
        #expect(now <= UnixTime.now)
    }

    /// What is chosen where nobody chooses.
    private var options: JournalWriter.Options { JournalWriter.Options() }

    @Test func `a journal that was closed has nothing left in its log`() throws {
        let writer = try JournalWriter(folder: folder)
        var history = JournalHistory(seed: 8)
        try writer.commit(history.batch(inputs: 3, passes: 3))
        writer.close()
        #expect(try FileSystem.read(folder + "/journal.sqlite-wal").isEmpty)
        FileSystem.remove(folder + "/journal.sqlite-wal")
        #expect(try writer.bytes == FileSystem.read(folder + "/journal.sqlite").count)
    }

    @Test func `an end that cannot be written is told`() throws {
        let told = Mutex<[JournalFailure]>([])
        var options = options
        options.system = LossyDisk.register()
        options.onFailure = { failure in told.withLock { $0.append(failure) } }
        let writer = try JournalWriter(folder: folder, options)
        LossyDisk.fail(.write, of: folder + "/journal.sqlite-wal", code: 778, system: EIO)
        writer.close()
        LossyDisk.heal(folder + "/journal.sqlite-wal")
        #expect(told.withLock { $0.map(\.step) } == [.writing])
        #expect(writer.failure == told.withLock { $0.first })
    }

    @Test func `a log that cannot be written back at the end is told`() throws {
        let told = Mutex<[JournalFailure]>([])
        var options = options
        options.system = LossyDisk.register()
        options.onFailure = { failure in told.withLock { $0.append(failure) } }
        let writer = try JournalWriter(folder: folder, options)
        LossyDisk.fail(.write, of: folder + "/journal.sqlite", code: 778, system: EIO)
        writer.close()
        LossyDisk.heal(folder + "/journal.sqlite")
        #expect(told.withLock { $0.map(\.step) } == [.writing])
    }

    @Test func `what is handed over after the end is refused, each time`() throws {
        let writer = try JournalWriter(folder: folder)
        writer.close()
        let told = Mutex<[JournalFailure?]>([])
        for _ in 1...2 {
            writer.submit(JournalBatch(generation: 1, firstSequence: 1)) { failure in
                told.withLock { $0.append(failure) }
            }
        }
        let closed = JournalFailure(folder + "/journal.sqlite", .writing, .closed)
        #expect(told.withLock { $0 } == [closed, closed])
        writer.write(
            JournalSnapshot(sequence: 0, generation: 1) { () throws(CodingFailure) in
                throw CodingFailure(pointer: .whole, expected: "nobody to ask", found: "somebody")
            })
        #expect(writer.failure == nil)
    }

    @Test func `a generation is recorded with the opening and the time at which its turn comes`() throws {
        let told = Mutex<[String]>([])
        var options = options
        options.clock = { 12.5 }
        options.onDiagnostic = { diagnostic in told.withLock { $0.append(diagnostic.description) } }
        try JournalWriter(folder: folder, options).close()
        let writer = try JournalWriter(folder: folder, options)
        writer.begin { epoch, time, onDiagnostic in
            onDiagnostic(Diagnostic(.warning, "begun"))
            return GenerationRecord(
                epoch: epoch, number: 3, after: 0, time: time, plan: .nothing, change: GenerationChange())
        }
        writer.close()
        #expect(told.withLock { $0 } == ["begun"])
        #expect(
            try JournalReader(folder: folder).generations().records == [
                GenerationRecord(
                    id: 1, epoch: 2, number: 3, after: 0, time: 12.5, plan: .nothing,
                    change: GenerationChange())
            ])
        #expect(try JournalPromise.read(folder: folder).content?.extent.generation == 1)
    }

    @Test func `of damaged names the first is told, and all others are known`() throws {
        var batch = JournalBatch(generation: 1, firstSequence: 1)
        batch.inputs = (1...5).map { number in
            JournalInput(
                number: number, source: .here(), line: Array(#"{"type":"a"}"#.utf8), id: "id \(number)")
        }
        let writer = try JournalWriter(folder: folder)
        try writer.commit(batch)
        writer.close()
        // One of form 1 has no checksum.
        try SQLiteConnection(path: folder + "/journal.sqlite", .writing).execute(
            "UPDATE seen SET id = 'other' WHERE input IN (2, 4); UPDATE seen SET checksum = NULL WHERE input = 3"
        )
        let told = Mutex<[String]>([])
        var options = options
        options.acceptsLoss = true
        options.onDiagnostic = { diagnostic in told.withLock { $0.append(diagnostic.description) } }
        let next = try JournalWriter(folder: folder, options)
        let ids = try next.ids()
        next.close()
        #expect(ids.count == 3)
        #expect((1...5).map { ids.insert("id \($0)") } == [false, true, false, true, false])
        #expect(
            told.withLock { $0 } == [
                "\(folder)/journal.sqlite: the name of input 2 is damaged; actions with such names may be accepted a second time"
            ])
    }

    @Test func `a snapshot whose turn comes after a failure is dropped, and the end does not wait for it`()
        throws
    {
        let writer = try JournalWriter(folder: folder)
        var batch = JournalBatch(generation: 1, firstSequence: 5)
        batch.entries = [JournalEntry(action: AnyAction("a"), source: .here(), time: nil)]
        writer.submit(batch)
        writer.write(JournalSnapshot(sequence: 0, generation: 1) { () throws(CodingFailure) in .empty })
        writer.close()
        #expect(writer.failure?.reason == .outOfTurn(expected: 1, found: 5))
        #expect(try JournalReader(folder: folder).snapshots().good.isEmpty)
    }
}
