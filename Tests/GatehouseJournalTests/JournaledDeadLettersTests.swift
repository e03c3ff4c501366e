// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Testing

@testable import GatehouseJournal

/// Dead letters outlive the process in the journal.
@Suite(.timeLimit(.minutes(10))) struct JournaledDeadLettersTests {
    /// A journal's folder.
    private let folder: String
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = temporary("journal")
    }

    /// A letter with a number, about what an instance emitted, or about input.
    private func letter(_ id: Int64, instance: String? = "counter") -> DeadLetter {
        var letter = DeadLetter(
            .misfit, type: "orders/placed", action: Array(#"{"type":"orders/placed","payload":"ü"}"#.utf8),
            from: ActionSource(
                file: "orders.ndjson", function: "", line: 7, info: instance.map { _ in "sync" }),
            instance: instance, sequence: instance.map { _ in 12 }, time: 1_763_000_000.5,
            reason: "expected a string, found 5")
        letter.id = id
        return letter
    }

    @Test func `letters come back as they were buried, and go when they are removed`() throws {
        let writer = try JournalWriter(folder: folder)
        for id in 1...4 as ClosedRange<Int64> { writer.bury(letter(id, instance: id == 2 ? nil : "counter")) }
        writer.remove(deadLetters: [1, 3])
        writer.close()
        let found = try JournalReader(folder: folder).deadLetters()
        #expect(found.letters == [letter(2, instance: nil), letter(4)])
        #expect(found.damaged.isEmpty)
    }

    @Test func `a damaged letter is named and the others come back`() throws {
        let writer = try JournalWriter(folder: folder)
        for id in 1...3 as ClosedRange<Int64> { writer.bury(letter(id)) }
        writer.close()
        try SQLiteConnection(path: folder + "/journal.sqlite", .writing)
            .execute("UPDATE dead SET content = x'0102030405' WHERE id = 2")
        let found = try JournalReader(folder: folder).deadLetters()
        #expect(found.letters == [letter(1), letter(3)])
        #expect(found.damaged == [2])
    }

    @Test func `letters keep their numbers, whatever lies between`() throws {
        let writer = try JournalWriter(folder: folder)
        for id in [3, 40, 1_000] as [Int64] { writer.bury(letter(id)) }
        writer.remove(deadLetters: [40])
        writer.close()
        let found = try JournalReader(folder: folder).deadLetters()
        #expect(found.letters == [letter(3), letter(1_000)])
        #expect(
            try JournalReader(folder: folder).connection.integer("SELECT sum(id) FROM dead") == 1_003)
    }
}
