// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import SeededTesting
import Synchronization
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// The promise beside a journal: what it makes of a journal of which something is gone.
@Suite(.timeLimit(.minutes(10))) struct JournalPromiseTests {
    /// A journal's folder.
    private let folder: String
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = temporary("journal")
    }

    /// The journal's file.
    private var path: String { folder + "/journal.sqlite" }
    /// The promise.
    private var promise: String { folder + "/journal.promise" }

    /// Lets a host accept and reduce actions, and ends it in order.
    private func write(_ count: UInt64, mode: JournalMode = .strict) throws {
        let writer = try JournalWriter(folder: folder, JournalWriter.Options(mode: mode))
        let first = writer.start.sequence
        for number in first..<first + count { try writer.commit(batch(number)) }
        writer.close()
    }

    /// A batch of one input and one action, both with the same number.
    private func batch(_ sequence: UInt64) -> JournalBatch {
        var batch = JournalBatch(generation: 1, firstSequence: sequence)
        let source = ActionSource(file: "in", function: "", line: 1, info: nil)
        let line = Array(#"{"type":"a"}"#.utf8)
        batch.inputs = [JournalInput(number: sequence, source: source, line: line)]
        batch.entries = [
            JournalEntry(action: nil, source: source.caused(by: ActionCause(.input, sequence)), time: nil)
        ]
        batch.done = [sequence]
        return batch
    }

    /// The refusal of the journal, without its path; nil where it is taken.
    private func refusal() throws -> String? {
        do throws(JournalFailure) {
            try JournalWriter(folder: folder).close()
            return nil
        } catch {
            return error.description.replacing(path + ": ", with: "")
        }
    }

    /// Opens the journal with what is left, and gives what was said about it.
    private func acceptLoss() throws -> (writer: JournalWriter, diagnostics: [String]) {
        let diagnostics = Mutex<[String]>([])
        var options = JournalWriter.Options()
        options.acceptsLoss = true
        options.onDiagnostic = { diagnostic in diagnostics.withLock { $0.append(diagnostic.description) } }
        let writer = try JournalWriter(folder: folder, options)
        return (writer, diagnostics.withLock { $0.map { $0.replacing(path + ": ", with: "") } })
    }

    // MARK: - Less than was promised

    @Test(arguments: [JournalMode.strict, .relaxed])
    func `a journal that ends before what was promised is refused with both numbers`(mode: JournalMode) throws
    {
        try write(5, mode: mode)
        let old = try FileSystem.read(path)
        try write(3, mode: mode)
        try FileSystem.write(old, to: path)
        let words =
            "the journal cannot be opened: expected action 8 and input 8, found action 5 and input 5; restore a backup with gatehouse restore, or continue without the lost part with --accept-loss"
        #expect(try refusal() == words)
        #expect(try refusal() == words)
        let recovery = #expect(throws: JournalFailure.self) {
            try PastWalk(folder: folder, acceptsLoss: false)
        }
        #expect(recovery?.reason == .shortfall(promised: extent(8, epoch: 2), found: extent(5, epoch: 1)))
        let (writer, diagnostics) = try acceptLoss()
        #expect(
            diagnostics.map {
                $0.contains(
                    "expected action 8 and input 8, found action 5 and input 5; the host continues with what is there"
                )
            }
                == [true])
        // Actions go on where they end, and no input gets the number of one that was lost.
        #expect(writer.start == JournalPosition(batch: 6, sequence: 6, input: 9, effect: 1))
        #expect(writer.epoch == 3)
        #expect(
            try JournalReader(folder: folder).connection.integer("SELECT max(number) FROM epoch") == 3)
        writer.close()
        #expect(try refusal() == nil)
    }

    /// An extent of a journal in which actions, inputs and batches have the same numbers.
    private func extent(_ number: Int64, epoch: Int64) -> JournalExtent {
        JournalExtent(batch: number, sequence: UInt64(number), input: UInt64(number), epoch: epoch)
    }

    @Test func `a log that is removed is noticed`() throws {
        let writer = try JournalWriter(folder: folder)
        for number in 1...4 as ClosedRange<UInt64> { try writer.commit(batch(number)) }
        let copy = try leave(without: "journal.sqlite-wal")
        writer.close()
        let failure = #expect(throws: JournalFailure.self) { try JournalWriter(folder: copy) }
        #expect(
            failure?.description.contains("expected action 4 and input 4, ") == true,
            "\(String(describing: failure))")
    }

    @Test func `a journal that is removed beside its log is noticed, and the log stays`() throws {
        let writer = try JournalWriter(folder: folder)
        for number in 1...4 as ClosedRange<UInt64> { try writer.commit(batch(number)) }
        let copy = try leave(without: "journal.sqlite")
        writer.close()
        let failure = #expect(throws: JournalFailure.self) { try JournalWriter(folder: copy) }
        #expect(
            failure?.description
                == "\(copy)/journal.sqlite: the journal cannot be opened: expected action 4 and input 4, found action 0 and input 0; restore a backup with gatehouse restore, or continue without the lost part with --accept-loss"
        )
        #expect(!FileSystem.exists(copy + "/journal.sqlite"))
        #expect(try !FileSystem.read(copy + "/journal.sqlite-wal").isEmpty)
    }

    /// What a crash would leave, without one of the files.
    private func leave(without missing: String) throws -> String {
        let copy = try temporary.makeFolder("copy")
        for name in ["journal.promise", "journal.sqlite", "journal.sqlite-wal"] where name != missing {
            try FileSystem.write(FileSystem.read(folder + "/" + name), to: copy + "/" + name)
        }
        return copy
    }

    @Test func `an opening that is gone is noticed`() throws {
        try write(2)
        try write(0)
        try SQLiteConnection(path: path, .writing).execute("DELETE FROM epoch WHERE number = 2")
        #expect(
            try refusal()
                == "the journal cannot be opened: expected opening 2, found opening 1; restore a backup with gatehouse restore, or continue without the lost part with --accept-loss"
        )
    }

    @Test func `a last batch that is damaged is refused before anything is written`() throws {
        try write(3)
        try SQLiteConnection(path: path, .writing).execute("UPDATE batch SET input = 2 WHERE id = 3")
        let words =
            "the journal cannot be opened: expected action 3 and input 3, found action 3 and input 2; restore a backup with gatehouse restore, or continue without the lost part with --accept-loss"
        #expect(try refusal() == words)
        try SQLiteConnection(path: path, .writing).execute("UPDATE batch SET input = 300 WHERE id = 3")
        #expect(
            try refusal()?.hasPrefix(
                "the journal cannot be opened: action 3 of the journal cannot be read: expected another checksum"
            ) == true)
        let (writer, _) = try acceptLoss()
        #expect(writer.start == JournalPosition(batch: 4, sequence: 4, input: 4, effect: 1))
        writer.close()
    }

    @Test func `a file that SQLite cannot read is refused with what was promised`() throws {
        try write(3)
        try FileSystem.write(Array(repeating: 7, count: 8_192), to: path)
        #expect(
            try refusal()
                == "the journal cannot be opened: expected action 3 and input 3, but the file cannot be used: this file is not a journal; restore a backup with gatehouse restore, or continue without the lost part with --accept-loss"
        )
    }

    @Test func `a name of an input that has changed is refused, and left out when that is wanted`() throws {
        let writer = try JournalWriter(folder: folder)
        for number in 1...2 as ClosedRange<UInt64> {
            var batch = JournalBatch(generation: 1, firstSequence: 1)
            batch.inputs = [
                JournalInput(
                    number: number, source: .here(), line: Array(#"{"type":"a"}"#.utf8), id: "id \(number)")
            ]
            try writer.commit(batch)
        }
        writer.close()
        try SQLiteConnection(path: path, .writing).execute("UPDATE seen SET id = 'other' WHERE input = 2")
        let next = try JournalWriter(folder: folder)
        let failure = #expect(throws: JournalFailure.self) { try next.ids() }
        #expect(
            failure?.description
                == "\(path): the journal cannot be read: the name of input 2 is damaged; restore a backup with gatehouse restore, or continue without the lost part with --accept-loss"
        )
        next.close()
        let (last, _) = try acceptLoss()
        let ids = try last.ids()
        #expect(!ids.insert("id 1"))
        #expect(ids.insert("id 2"))
        last.close()
    }

    @Test func `a column that has changed is noticed in batches, snapshots and states`() throws {
        let writer = try JournalWriter(folder: folder)
        for number in 1...2 as ClosedRange<UInt64> { try writer.commit(batch(number)) }
        writer.write(
            JournalSnapshot(sequence: 1, generation: 1) { () throws(CodingFailure) in
                SavedState(configured: [:], plain: [:], kept: [:], entries: [:])
            })
        writer.close()
        for column in ["first", "count", "input", "effect", "open", "time"] {
            let connection = try SQLiteConnection(path: path, .writing)
            try connection.execute("UPDATE batch SET \(column) = \(column) + 1 WHERE id = 1")
            let items = try JournalReader(folder: folder).items()
            #expect(
                items.contains { if case .damage = $0 { true } else { false } }, "\(column)")
            try connection.execute("UPDATE batch SET \(column) = \(column) - 1 WHERE id = 1")
        }
        for column in ["sequence", "epoch", "generation", "batch", "floor", "time"] {
            let connection = try SQLiteConnection(path: path, .writing)
            try connection.execute("UPDATE snapshot SET \(column) = \(column) + 1")
            #expect(try JournalReader(folder: folder).snapshots().damaged.count == 1, "\(column)")
            try connection.execute("UPDATE snapshot SET \(column) = \(column) - 1")
        }
        #expect(try JournalReader(folder: folder).snapshots().damaged.isEmpty)
    }

    @Test(arguments: [1, 2, 3, 4]) func `a batch that no search finds is noticed by a restart`(batch: Int)
        throws
    {
        let writer = try JournalWriter(folder: folder)
        for number in 1...4 as ClosedRange<UInt64> { try writer.commit(self.batch(number)) }
        // What the next start needs above all: an input that is not done.
        var open = JournalBatch(generation: 1, firstSequence: 5)
        open.inputs = [JournalInput(number: 5, source: .here(), line: Array(#"{"type":"a"}"#.utf8))]
        try writer.commit(open)
        writer.close()
        try SQLiteConnection(path: path, .writing).execute("DELETE FROM batch WHERE id = \(batch)")
        let cursor = try JournalReader(folder: folder).wholeRecords(from: 1)
        var damage: [String] = []
        while let item = try cursor.next() { if case .damage(let found) = item { damage.append("\(found)") } }
        #expect(damage == ["action \(batch) of the journal cannot be found"])
        try SQLiteConnection(path: path, .writing).execute("DELETE FROM batch WHERE id < 5")
        #expect(try JournalReader(folder: folder).openInputs().damage.isEmpty)
    }

    // MARK: - The promise itself

    @Test func `a journal whose promise is missing is refused`() throws {
        try write(3)
        FileSystem.remove(promise)
        #expect(
            try refusal()
                == "the journal cannot be opened: journal.promise is missing beside it, so it is unknown whether it is complete; put the file back, restore a backup with gatehouse restore, or continue with what is there with --accept-loss"
        )
        #expect(!FileSystem.exists(promise))
        try acceptLoss().writer.close()
        #expect(try refusal() == nil)
    }

    @Test func `a promise that is damaged in both slots is refused`() throws {
        try write(3)
        try FileSystem.write(Array(repeating: 0, count: 1_024), to: promise)
        #expect(
            try refusal()
                == "the journal cannot be opened: journal.promise beside it is damaged, so it is unknown whether it is complete; put the file back, restore a backup with gatehouse restore, or continue with what is there with --accept-loss"
        )
    }

    @Test func `a promise of another journal is refused`() throws {
        try write(3)
        let name = try #require(try JournalReader(folder: folder).name())
        let other = temporary("other")
        try JournalWriter(folder: other).close()
        let otherName = try #require(try JournalReader(folder: other).name())
        try FileSystem.write(FileSystem.read(other + "/journal.promise"), to: promise)
        #expect(
            try refusal()
                == "the journal cannot be opened: journal.promise beside it belongs to the journal \(otherName), and this is the journal \(name); bring the matching two files together, restore a backup with gatehouse restore, or continue with what is there with --accept-loss"
        )
    }

    @Test(arguments: 0..<2) func `a write of the promise that is torn leaves the one before`(slot: Int) throws
    {
        try write(3)
        var bytes = try FileSystem.read(promise)
        for place in slot * 512..<slot * 512 + 40 { bytes[place] = 0xff }
        try FileSystem.write(bytes, to: promise)
        #expect(try refusal() == nil)
    }

    @Test func `a promise with changed bytes is one that was made, or none`() throws {
        try write(1)
        let name = try JournalPromise.read(folder: folder).content?.name
        let sound = try FileSystem.read(promise)
        for seed in 1...500 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var bytes = sound
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            try FileSystem.write(bytes, to: promise)
            let found = try JournalPromise.read(folder: folder)
            let isOne = found.content.map { $0.name == name && $0.extent.sequence <= 1 }
            #expect(found == .damaged || isOne == true, "seed \(seed)")
        }
    }

    @Test func `a journal of form 1 has no promise, and gets one`() throws {
        try write(3)
        try SQLiteConnection(path: path, .writing).execute(
            "DROP TABLE generation; ALTER TABLE seen DROP COLUMN checksum; PRAGMA user_version = 1")
        FileSystem.remove(promise)
        try FileSystem.setMode(0o644, of: path)
        #expect(try refusal() == nil)
        #expect(try FileSystem.mode(of: path) == 0o600)
        #expect(try JournalPromise.read(folder: folder).content?.extent == extent(3, epoch: 2))
    }

    // MARK: - Files

    @Test func `nobody else may read a journal, its log or its promise`() throws {
        _ = try temporary.makeFolder("journal")
        let writer = try JournalWriter(folder: folder)
        try writer.commit(batch(1))
        for name in [
            "journal.sqlite", "journal.sqlite-wal", "journal.sqlite-shm", "journal.promise", "journal.lock",
        ] {
            #expect(try FileSystem.mode(of: folder + "/" + name) == 0o600, "\(name)")
        }
        writer.close()
    }

    @Test(arguments: ["journal.sqlite", "journal.sqlite-wal", "journal.promise", ""])
    func `nothing is acknowledged into a file that was removed or moved`(name: String) throws {
        let failures = Mutex<[String]>([])
        let writer = try JournalWriter(
            folder: folder,
            JournalWriter.Options { failure in failures.withLock { $0.append("\(failure)") } })
        try writer.commit(batch(1))
        let gone = name.isEmpty ? folder : folder + "/" + name
        try FileSystem.rename(gone, to: temporary("elsewhere"))
        let first = name.isEmpty ? path : gone
        let failure = #expect(throws: JournalFailure.self) { try writer.commit(batch(2)) }
        let words =
            "\(path): the journal cannot be written: \(first) was removed or moved away while the journal was open; put the folder back as it was, or restore a backup with gatehouse restore, then start the host again"
        #expect(failure?.description == words)
        #expect(throws: JournalFailure.self) { try writer.commit(batch(3)) }
        writer.close()
        #expect(failures.withLock { $0 } == [words])
    }
}
