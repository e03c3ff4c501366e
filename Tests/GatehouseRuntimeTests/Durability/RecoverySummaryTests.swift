// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import GatehouseSQLite
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan
@testable import GatehouseRuntime
@testable import GatehouseSupport

/// What a recovery finds in a journal, and what it says of that.
@Suite(.timeLimit(.minutes(10))) struct RecoverySummaryTests {
    /// Recovers a journal with reducers that do nothing.
    private func recovery(
        _ past: WrittenPast, acceptsLoss: Bool = false, by reducer: any PastReducer = NotingReducer()
    ) throws -> Recovery {
        try Recovery(
            folder: past.folder, acceptsLoss: acceptsLoss,
            by: PastWalk.Reducers(recorded: reducer, present: reducer))
    }

    /// An input.
    private func input(_ number: UInt64) -> JournalInput {
        JournalInput(number: number, source: .here(), line: Array(#"{"type":"a"}"#.utf8))
    }

    @Test func `a journal in which nothing happened needs no recovery`() throws {
        let past = try WrittenPast(actions: 0)
        let recovery = try recovery(past)
        #expect(recovery.summary == nil)
        #expect(recovery.sequence == 0)
        #expect(!recovery.hasLastGood)
        #expect(recovery.lastGoodName == "no generation")
        #expect(recovery.fallen.isEmpty)
        try past.write { writer in
            var batch = JournalBatch(generation: 1, firstSequence: 1)
            batch.inputs = [input(1)]
            try writer.commit(batch)
        }
        let next = try self.recovery(past)
        #expect(next.summary == "resumes after action 0, 1 accepted and not yet processed")
        #expect(next.inputs.map(\.number) == [1])
    }

    @Test func `what was reduced again is counted, and the generation in force entered`() throws {
        let past = try WrittenPast(actions: 1)
        try past.begin(after: 0, 1)
        let reducer = NotingReducer()
        let recovery = try recovery(past, by: reducer)
        #expect(reducer.reductions == ["1: 1-1"])
        #expect(recovery.summary == "resumes after action 1, 1 of them replayed since the last snapshot")
        #expect(recovery.replayed == 1)
        #expect(recovery.hasLastGood)
        #expect(recovery.lastGoodName == "generation 2 of run 1")
        #expect(recovery.place.state.plain == ["by": "reducer 1", "generation": 2])
        #expect(recovery.diagnostics.map(\.description) == ["reducer at 1"])
        try past.keep(1, after: 1, record: 2)
        #expect(try self.recovery(past).summary == "resumes after action 1")
    }

    @Test func `effects are told by whether they begin again`() throws {
        func summary(again: Int, interrupted: Int) throws -> String? {
            let past = try WrittenPast(actions: 1)
            try past.begin(after: 0)
            try past.keep(1, after: 1, record: 1)
            try past.write { writer in
                var batch = JournalBatch(generation: 1, firstSequence: 2)
                for number in 0..<again + interrupted {
                    batch.begun.append(
                        JournalEffect(
                            number: UInt64(number + 1), instance: "i", sequence: 1,
                            recovery: number < again ? .again : .tell, key: "k"))
                }
                try writer.commit(batch)
            }
            let recovery = try recovery(past)
            #expect(recovery.effects.count == again + interrupted)
            return recovery.summary
        }
        #expect(try summary(again: 0, interrupted: 0) == "resumes after action 1")
        #expect(try summary(again: 1, interrupted: 0) == "resumes after action 1, 1 effect begins again")
        #expect(try summary(again: 2, interrupted: 0) == "resumes after action 1, 2 effects begin again")
        #expect(try summary(again: 0, interrupted: 1) == "resumes after action 1, 1 interrupted")
        #expect(
            try summary(again: 1, interrupted: 2)
                == "resumes after action 1, 1 effect begins again, 2 interrupted")
    }

    @Test func `an open input that is damaged ends the recovery, unless the loss is accepted`() throws {
        let past = try WrittenPast(actions: 1)
        try past.begin(after: 0)
        try past.write { writer in
            for number in 1...2 as ClosedRange<UInt64> {
                var batch = JournalBatch(generation: 1, firstSequence: 2)
                batch.inputs = [input(number)]
                try writer.commit(batch)
            }
        }
        try past.tamper("UPDATE batch SET content = x'00' WHERE id = 2")
        let failure = #expect(throws: PastFailure.self) { try recovery(past) }
        let damage = JournalDamage(
            kind: .changed("expected a checksum at byte 0 of its content"), batch: 2, sequences: nil)
        #expect(
            failure?.description == "\(JournalFailure(past.path, .reading, .damaged(damage)))")
        let accepted = try recovery(past, acceptsLoss: true)
        #expect(accepted.inputs.map(\.number) == [2])
        #expect(
            accepted.diagnostics.map(\.description) == [
                "reducer at 1", "\(past.path): \(damage); the host continues without its content",
            ])
    }

    @Test func `a dead letter that is damaged is left out`() throws {
        let past = try WrittenPast(actions: 0)
        try past.write { writer in
            for id in 1...2 as ClosedRange<Int64> {
                var letter = DeadLetter(
                    .late, type: "a", action: [], from: nil, instance: nil, time: 0, reason: "")
                letter.id = id
                writer.bury(letter)
            }
        }
        try past.tamper("UPDATE dead SET content = x'00' WHERE id = 1")
        let recovery = try recovery(past)
        #expect(recovery.letters.map(\.id) == [2])
        #expect(
            recovery.diagnostics.map(\.description) == [
                "\(past.path): dead letter 1 cannot be read, and is left out"
            ])
    }

    @Test func `pages of dead letters that cannot be read are told`() throws {
        let past = try WrittenPast(actions: 0)
        // Deep in its leaves the table has a row that no search finds.
        try past.write { writer in
            for id in 1...2 as ClosedRange<Int64> {
                var letter = DeadLetter(
                    .late, type: "a", action: [], from: nil, instance: nil, time: 0, reason: "")
                letter.id = id
                writer.bury(letter)
            }
        }
        var bytes = try FileSystem.read(past.path)
        // The cells of the page are not in order any more.
        let table = try #require(try page(of: "dead", in: past))
        bytes.swapAt(table + 8, table + 10)
        bytes.swapAt(table + 9, table + 11)
        try FileSystem.write(bytes, to: past.path)
        let recovery = try recovery(past)
        #expect(
            recovery.diagnostics.map(\.description).first?.hasPrefix(
                "\(past.path): dead letters may be missing: SQLite says: ") == true)
    }

    /// Where the first page of a table begins.
    private func page(of table: String, in past: WrittenPast) throws -> Int? {
        let reader = try JournalReader(folder: past.folder)
        return try reader.connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(table)'")
            .map { (Int($0) - 1) * 4_096 }
    }

    @Test func `a journal that others may write to is not recovered`() throws {
        let past = try WrittenPast(actions: 1)
        try past.begin(after: 0)
        try FileSystem.setMode(0o666, of: past.path)
        let failure = #expect(throws: PastFailure.self) { try recovery(past) }
        #expect(failure?.description.contains("everybody may write to it (mode 666)") == true)
    }

    /// Leaves a state with instances behind, and tells which have fallen.
    private struct FallingReducer: PastReducer {
        func reduce(_ reduction: PastReduction) throws(PastFailure) -> PastResult {
            let entries = ["a": "d1", "b": nil].mapValues { digest in
                SavedState.Entry(
                    plugin: "p", digest: digest, pointer: JSONPointer(tokens: ["a"]), gate: "active",
                    position: nil)
            }
            return PastResult(
                state: SavedState(configured: ["x": 1], plain: [:], kept: [:], entries: entries),
                fallen: ["a", "b", "c"].map { FallenInstance(id: $0, at: 1_233, reason: "died by SIGILL") })
        }
    }

    @Test func `libraries whose reducers have fallen are named, as far as they are known`() throws {
        let past = try WrittenPast(actions: 1)
        try past.begin(after: 0)
        let recovery = try recovery(past, by: FallingReducer())
        #expect(
            recovery.fallen == [
                Recovery.FallenLibrary(
                    digest: "d1", plugin: "p",
                    reason: "its reducer died by SIGILL at action 1,234, when the journal was replayed")
            ])
        #expect(recovery.patch(to: ["x": 1]) == nil)
        #expect(recovery.patch(to: ["x": 2]) == ["x": 2])
    }

    // MARK: - Where the journal is

    @Test func `the folder of a journal is remembered beside the configuration, with what ran last`() throws {
        let past = try WrittenPast(actions: 1)
        let temporary = try TemporaryFolder()
        #expect(JournalPointer.last(beside: temporary.path) == nil)
        JournalPointer.remember(past.folder, beside: temporary.path)
        // No generation has run yet.
        #expect(JournalPointer.last(beside: temporary.path) == nil)
        try past.begin(after: 0)
        let found = try #require(JournalPointer.last(beside: temporary.path))
        #expect(found.folder == past.folder)
        #expect(found.configuration == RecordedPlan.nothing.configuration)
        let other = try WrittenPast(actions: 1)
        try other.begin(after: 0)
        JournalPointer.remember(other.folder, beside: temporary.path)
        #expect(JournalPointer.last(beside: temporary.path)?.folder == other.folder)
    }

    @Test func `a folder that is remembered already is not written again`() throws {
        let temporary = try TemporaryFolder()
        let place = DataFolder.path(beside: temporary.path) + "/host/journal"
        let folder = String(repeating: "x", count: 65_536)
        JournalPointer.remember(folder, beside: temporary.path)
        let before = try FileSystem.identity(of: place)
        JournalPointer.remember(folder, beside: temporary.path)
        #expect(try FileSystem.identity(of: place) == before)
        // One that is longer is not read, and so it is written each time.
        JournalPointer.remember(folder + "x", beside: temporary.path)
        #expect(try FileSystem.read(place).count == 65_537)
        let longer = try FileSystem.identity(of: place)
        JournalPointer.remember(folder + "x", beside: temporary.path)
        #expect(try FileSystem.identity(of: place) != longer)
    }
}
