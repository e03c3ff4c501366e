// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import SeededTesting
import Testing

@testable import GatehouseJournal

/// Journals that are not as a host has left them: what is said, and what is still there.
@Suite(.timeLimit(.minutes(10))) struct DamagedJournalTests {
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

    /// Writes a journal of some batches, each with an action for each of its two inputs.
    private func write(batches: Int) throws {
        let writer = try JournalWriter(folder: folder)
        for number in 0..<batches {
            var batch = JournalBatch(generation: 1, firstSequence: UInt64(number * 2 + 1))
            for input in [UInt64(number * 2 + 1), UInt64(number * 2 + 2)] {
                let source = ActionSource(file: "in", function: "", line: UInt(input), info: nil)
                batch.inputs.append(
                    JournalInput(
                        number: input, source: source, line: Array(#"{"type":"a","payload":\#(input)}"#.utf8))
                )
                batch.entries.append(
                    JournalEntry(
                        action: nil, source: source.caused(by: ActionCause(.input, input)), time: nil))
                batch.done.append(input)
            }
            try writer.commit(batch)
        }
        writer.close()
    }

    /// Changes the journal's file as somebody else would.
    private func tamper(_ sql: String) throws {
        try SQLiteConnection(path: path, .writing).execute(sql)
    }

    /// The sequences that come back, and the damage between them.
    private func contents(from first: UInt64 = 0) throws -> (sequences: [UInt64], damage: [String]) {
        var sequences: [UInt64] = []
        var damage: [String] = []
        for item in try JournalReader(folder: folder).items(from: first) {
            switch item {
            case .record(let record): sequences.append(record.sequence)
            case .damage(let found): damage.append("\(found)")
            }
        }
        return (sequences, damage)
    }

    @Test func `a batch that is missing is named by its actions`() throws {
        try write(batches: 5)
        try tamper("DELETE FROM batch WHERE id IN (2, 3)")
        let found = try contents()
        #expect(found.sequences == [1, 2, 7, 8, 9, 10])
        #expect(found.damage == ["actions 3 to 6 of the journal cannot be found"])
        #expect(try contents(from: 7).damage == [])
    }

    @Test func `a changed batch is named, and what follows is there`() throws {
        try write(batches: 5)
        try tamper("UPDATE batch SET content = x'00112233445566' WHERE id = 3")
        let found = try contents()
        #expect(found.sequences == [1, 2, 3, 4, 7, 8, 9, 10])
        #expect(
            found.damage == [
                "actions 5 to 6 of the journal cannot be read: expected another checksum at byte 3 of its content"
            ])
    }

    @Test func `a last batch that is changed is named too`() throws {
        try write(batches: 3)
        try tamper("UPDATE batch SET content = x'' WHERE id = 3")
        let found = try contents()
        #expect(found.sequences == [1, 2, 3, 4])
        #expect(
            found.damage == [
                "actions 5 to 6 of the journal cannot be read: expected a checksum at byte 0 of its content"
            ])
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `pages with other bytes never crash a reader, and what is read is what was written`(seed: UInt64)
        throws
    {
        try write(batches: 400)
        var generator = SeededGenerator(seed: seed)
        var bytes = try FileSystem.read(path)
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            // Not the first page, which says what the file is.
            let page = Int.random(in: 1..<bytes.count / 4_096, using: &generator)
            for place in 0..<Int.random(in: 1...4_096, using: &generator) {
                bytes[page * 4_096 + place] = UInt8.random(in: 0...255, using: &generator)
            }
        }
        try FileSystem.write(bytes, to: path)
        do {
            let reader = try JournalReader(folder: folder)
            for item in try reader.items() {
                guard case .record(let record) = item else { continue }
                #expect(record.bytes == Array(#"{"type":"a","payload":\#(record.sequence)}"#.utf8))
            }
        } catch let failure as JournalFailure {
            #expect("\(failure)".hasPrefix("\(path): the journal cannot be "))
        }
    }

    @Test func `what a host removes while somebody reads is told as that, and is no damage`() throws {
        try write(batches: 600)
        let cursor = try JournalReader(folder: folder).records(from: 1)
        _ = try cursor.next()
        try tamper("DELETE FROM batch WHERE id < 500")
        var (sequences, found) = ([UInt64](), [JournalDamage]())
        while let item = try cursor.next() {
            switch item {
            case .record(let record): sequences.append(record.sequence)
            case .damage(let damage): found.append(damage)
            }
        }
        let gap = try #require(found.first)
        #expect(found.count == 1 && gap.kind == .removed)
        let lost = try #require(gap.sequences)
        #expect(
            "\(gap)"
                == "actions \(lost.lowerBound) to \(lost.upperBound) of the journal were removed meanwhile to stay within the limits; nothing is damaged"
        )
        #expect(sequences == Array(2..<lost.lowerBound) + Array(lost.upperBound + 1...1_200))
    }

    @Test func `a journal of a newer form is refused`() throws {
        try write(batches: 1)
        try tamper("PRAGMA user_version = 5")
        let words =
            "it has form 5, and this version knows forms up to 4; use the version that wrote it, or a newer one"
        let reading = #expect(throws: JournalFailure.self) { try JournalReader(folder: folder) }
        #expect(reading?.description == "\(path): the journal cannot be read: \(words)")
        let opening = #expect(throws: JournalFailure.self) { try JournalWriter(folder: folder) }
        #expect(opening?.description == "\(path): the journal cannot be opened: \(words)")
    }

    @Test func `a file that is something else is refused`() throws {
        _ = try temporary.makeFolder("journal")
        try FileSystem.write(Array(repeating: UInt8(ascii: "x"), count: 10_000), to: path)
        let words = "this file is not a journal; name another folder"
        let reading = #expect(throws: JournalFailure.self) { try JournalReader(folder: folder) }
        #expect(reading?.description == "\(path): the journal cannot be read: \(words)")
        let opening = #expect(throws: JournalFailure.self) { try JournalWriter(folder: folder) }
        #expect(opening?.description == "\(path): the journal cannot be opened: \(words)")
        FileSystem.remove(path)
        try tamper("CREATE TABLE a (b)")
        let other = #expect(throws: JournalFailure.self) { try JournalWriter(folder: folder) }
        #expect(other?.description == "\(path): the journal cannot be opened: \(words)")
    }

    @Test func `a journal that is not there is not made by reading`() throws {
        let missing = #expect(throws: JournalFailure.self) { try JournalReader(folder: folder) }
        #expect(
            missing?.description
                == "\(path): the journal cannot be read: there is none; name the folder of a journal that a host wrote"
        )
        #expect(!FileSystem.exists(folder))
    }

    @Test func `a folder that cannot be made is told with the reason`() throws {
        let folder = temporary("no/journal")
        let failure = #expect(throws: JournalFailure.self) { try JournalWriter(folder: folder) }
        #expect(
            failure?.description
                == "\(folder)/journal.sqlite: the journal cannot be opened: mkdir \(folder): No such file or directory; name an existing folder that this user may write to"
        )
    }

    @Test func `a new journal is empty`() throws {
        let writer = try JournalWriter(folder: folder)
        let reader = try JournalReader(folder: folder)
        #expect(try reader.bounds() == nil)
        #expect(try reader.items().isEmpty)
        #expect(try reader.openInputs().inputs.isEmpty)
        #expect(try reader.snapshots().good.isEmpty)
        #expect(try reader.position() == JournalPosition(batch: 1, sequence: 1, input: 1, effect: 1))
        writer.close()
    }
}
