// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan

/// The records of generations: how they are numbered, when they go, and what no host has written.
@Suite(.timeLimit(.minutes(10))) struct GenerationTableTests {
    /// The tables of a journal in which nothing is.
    private let connection: SQLiteConnection
    /// The generations in it.
    private let table: GenerationTable
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        connection = try JournalSchema.openForWriting(
            temporary("journal.sqlite"), isStrict: true, system: nil)
        table = GenerationTable(connection)
    }

    /// A generation that begins after an action.
    private func record(after sequence: UInt64, id: Int64 = 0) -> GenerationRecord {
        var change = GenerationChange(gates: ["b": .active, "a": .bypass], patch: ["x": 1])
        change.made = ["c": VersionedState(version: 3, value: ["count": 4])]
        change.stateless = ["e", "d"]
        return GenerationRecord(
            id: id, epoch: 5, number: 6, after: sequence, time: 12.5, plan: .nothing, change: change)
    }

    /// Writes records that begin after some actions.
    private func insert(_ sequences: UInt64...) throws {
        for sequence in sequences { _ = try table.insert(record(after: sequence)) }
    }

    @Test func `records are numbered from 1 on, and come back as they were written`() throws {
        #expect(try table.last() == 0)
        #expect(try table.insert(record(after: 7)) == 1)
        #expect(try table.insert(record(after: 7)) == 2)
        #expect(try table.last() == 2)
        let (records, damaged) = try table.records()
        #expect(records == [record(after: 7, id: 1), record(after: 7, id: 2)])
        #expect(damaged.isEmpty)
    }

    @Test func `records after the last action never came into force`() throws {
        try insert(3, 4, 5)
        #expect(try table.records(notAfter: 4).records.map(\.after) == [3, 4])
        #expect(try table.records(notAfter: 2).records.isEmpty)
        try table.removeUnreached(after: 4)
        #expect(try table.records().records.map(\.after) == [3, 4])
    }

    @Test func `a record goes when the next one reduces all that anybody wants`() throws {
        try insert(0, 3, 6)
        try table.trim(below: 3)
        #expect(try table.records().records.map(\.id) == [1, 2, 3])
        try table.trim(below: 4)
        #expect(try table.records().records.map(\.id) == [2, 3])
        try table.trim(below: 100)
        #expect(try table.records().records.map(\.id) == [3])
    }

    @Test func `each record that is missing between two is told by the first of a gap`() throws {
        try insert(1, 2, 3, 4, 5)
        try connection.execute("DELETE FROM generation WHERE id IN (1, 3)")
        let (records, damaged) = try table.records()
        #expect(records.map(\.id) == [2, 4, 5])
        #expect(damaged == [GenerationDamage(id: 3, reason: "it is not there")])
    }

    @Test func `what cannot be read is told by its number, and the others come back`() throws {
        try insert(1, 2, 3)
        try connection.execute("UPDATE generation SET content = x'0102' WHERE id = 2")
        #expect(
            try table.records().damaged == [
                GenerationDamage(id: 2, reason: "expected a checksum, found 2 bytes")
            ])
        try connection.prepare("UPDATE generation SET content = ? WHERE id = 3")
            .run(lending: CheckedBlob.bytes(of: ["plan": RecordedPlan.nothing.value]))
        let (records, damaged) = try table.records()
        #expect(records.map(\.id) == [1])
        #expect(damaged.map(\.id) == [2, 3])
        #expect(damaged.last?.reason.contains("the members plan and change") == true)
    }

    @Test func `a record has the number that its content says`() throws {
        try insert(1)
        try connection.execute("UPDATE generation SET id = 2")
        #expect(
            try table.records().damaged == [
                GenerationDamage(id: 2, reason: "its content is that of another generation")
            ])
    }

    // MARK: - Changes

    @Test func `a change has these members, and these members are the change`() throws {
        let change = record(after: 1).change
        let value: Value = [
            "made": ["c": ["version": 3, "state": ["count": 4]]], "stateless": ["d", "e"],
            "gates": ["a": "bypass", "b": "active"], "patch": ["x": 1],
        ]
        #expect(change.value == value)
        #expect(try GenerationChange(value) == change)
        var back = GenerationChange()
        back.restored = PlainState(
            plain: ["y": 2],
            kept: [JSONPointer(tokens: ["y"]): KeptSlice(plugin: "p", stateVersion: 3, instance: "d")])
        back.standings["q"] = Standing(at: 4, missed: 2, open: [5...6])
        let restored: Value = [
            "made": [:], "gates": [:],
            "restored": [
                "plain": ["y": 2], "kept": ["/y": ["plugin": "p", "version": 3, "instance": "d"]],
            ],
            "standings": ["q": ["at": 4, "missed": 2, "open": [[5, 6]]]],
        ]
        #expect(back.value == restored)
        #expect(try GenerationChange(restored) == back)
        #expect(GenerationChange().value == ["made": [:], "gates": [:]])
        #expect(try GenerationChange(["made": [:], "gates": [:]]) == GenerationChange())
    }

    @Test func `a change that no host has written is refused with the member`() {
        for (value, pointer) in [
            (["made": [:]], ["change"]), (["gates": [:]], ["change"]), ([:], ["change"]),
            (["made": ["c": ["version": 3]], "gates": [:]], ["change", "made", "c"]),
            (["made": ["c": ["state": 3]], "gates": [:]], ["change", "made", "c"]),
            (["made": [:], "gates": [:], "stateless": ["d", 1]], ["change", "stateless", "1"]),
            (["made": [:], "gates": [:], "restored": ["plain": 1]], ["change", "restored"]),
            (["made": [:], "gates": [:], "standings": ["q": 1]], ["change", "standings", "q"]),
            (
                ["made": [:], "gates": [:], "restored": ["plain": 1, "kept": ["/y": 5]]],
                ["change", "restored", "kept", "/y"]
            ),
        ] as [(Value, [String])] {
            let failure = #expect(throws: CodingFailure.self) { try GenerationChange(value) }
            #expect(failure?.pointer == JSONPointer(tokens: pointer))
        }
    }
}
