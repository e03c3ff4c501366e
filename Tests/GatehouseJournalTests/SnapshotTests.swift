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

/// Snapshots in a journal: two verified ones are kept, damaged ones are named, and what they do not need goes.
@Suite(.timeLimit(.minutes(10))) struct SnapshotTests {
    /// A journal's folder.
    private let folder: String
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = temporary("journal")
    }

    /// A state in which a counter has some value.
    private static func content(_ count: Int, plain: Value = [:]) -> SavedState {
        SavedState(
            configured: [:], plain: plain, kept: [:],
            entries: [
                "counter": SavedState.Entry(
                    plugin: "counter", digest: "ab12", pointer: JSONPointer(tokens: ["counter"]),
                    state: VersionedState(version: 2, value: ["count": Value(count)]), gate: "active",
                    position: .active),
                "logger": SavedState.Entry(
                    plugin: "logger", digest: nil, pointer: JSONPointer(tokens: ["logger"]), state: nil,
                    gate: "active", position: nil),
            ])
    }

    /// Writes two snapshots after action 0, of a counter at 1 and at 2.
    private func writeTwo() throws {
        let writer = try JournalWriter(folder: folder)
        for count in 1...2 {
            writer.write(
                JournalSnapshot(sequence: 0, generation: 1) { () throws(CodingFailure) in Self.content(count)
                })
        }
        writer.close()
    }

    /// Changes the journal's file as somebody else would.
    private func tamper(_ sql: String) throws {
        try SQLiteConnection(path: folder + "/journal.sqlite", .writing).execute(sql)
    }

    @Test func `the two newest snapshots are kept, with what was running`() throws {
        var history = JournalHistory(seed: 1)
        let writer = try JournalWriter(folder: folder)
        var expected: [(UInt64, [JournalEffect])] = []
        for count in 1...4 {
            try writer.commit(history.batch(inputs: 10, passes: 8))
            expected.append((history.nextSequence - 1, history.running.sorted { $0.number < $1.number }))
            writer.write(
                JournalSnapshot(sequence: history.nextSequence - 1, generation: count) {
                    () throws(CodingFailure) in Self.content(count, plain: ["a": "ü"])
                })
        }
        try writer.commit(history.batch(inputs: 10, passes: 8))
        writer.close()
        let reader = try JournalReader(folder: folder)
        let found = try reader.snapshots()
        #expect(found.damaged.isEmpty)
        #expect(found.good.map(\.sequence) == [expected[3].0, expected[2].0])
        #expect(found.good.map(\.content) == [4, 3].map { Self.content($0, plain: ["a": "ü"]) })
        #expect(found.good.map(\.generation) == [4, 3])
        #expect(try SnapshotTable(reader.connection).newestEffects()?.effects == expected[3].1)
        #expect(try reader.runningEffects() == history.running.sorted { $0.number < $1.number })
    }

    @Test func `the end waits for the snapshot`() throws {
        let writer = try JournalWriter(folder: folder)
        writer.write(
            JournalSnapshot(sequence: 0, generation: 1) { () throws(CodingFailure) in Self.content(7) })
        writer.close()
        #expect(try JournalReader(folder: folder).snapshots().good.map(\.content) == [Self.content(7)])
    }

    @Test func `a damaged slice is named, and the snapshot before is there`() throws {
        try writeTwo()
        try tamper(
            "UPDATE slice SET content = x'7b7d00000000' WHERE instance = 'counter' AND snapshot = (SELECT max(snapshot) FROM slice)"
        )
        let found = try JournalReader(folder: folder).snapshots()
        #expect(found.good.map(\.content) == [Self.content(1)])
        #expect(
            found.damaged.map(\.description) == [
                "the snapshot after action 0, the state of counter cannot be read: expected another checksum of its 2 bytes"
            ])
        try tamper("DELETE FROM slice WHERE instance = 'logger'; UPDATE snapshot SET content = x'00'")
        #expect(
            try JournalReader(folder: folder).snapshots().damaged.map(\.reason)
                == Array(repeating: "expected a checksum, found 1 bytes", count: 2))
    }

    @Test func `a snapshot whose states cannot be read still tells what was running`() throws {
        var history = JournalHistory(seed: 4)
        let writer = try JournalWriter(folder: folder)
        for count in 1...2 {
            try writer.commit(history.batch(inputs: 10, passes: 8))
            writer.write(
                JournalSnapshot(sequence: history.nextSequence - 1, generation: count) {
                    () throws(CodingFailure) in Self.content(count)
                })
        }
        writer.close()
        // Nothing else tells it: what has happened since the one before is gone.
        try tamper(
            "UPDATE slice SET content = x'00' WHERE snapshot = (SELECT max(snapshot) FROM slice); DELETE FROM batch"
        )
        let reader = try JournalReader(folder: folder)
        #expect(try reader.snapshots().damaged.count == 1)
        #expect(!history.running.isEmpty)
        #expect(try reader.runningEffects() == history.running.sorted { $0.number < $1.number })
    }

    @Test func `a state that is missing is named, and the snapshot before is there`() throws {
        try writeTwo()
        try tamper(
            "DELETE FROM slice WHERE instance = 'counter' AND snapshot = (SELECT max(snapshot) FROM slice)")
        let found = try JournalReader(folder: folder).snapshots()
        #expect(found.good.map(\.content) == [Self.content(1)])
        #expect(
            found.damaged.map(\.description) == [
                "the snapshot after action 0, the state of counter cannot be read: it is not there"
            ])
    }

    @Test func `a state that does not encode is told, and the journal goes on`() throws {
        let told = Mutex<[String]>([])
        var options = JournalWriter.Options()
        options.onDiagnostic = { diagnostic in told.withLock { $0.append("\(diagnostic)") } }
        let writer = try JournalWriter(folder: folder, options)
        writer.write(
            JournalSnapshot(sequence: 5, generation: 1) { () throws(CodingFailure) in
                throw CodingFailure(
                    pointer: JSONPointer(tokens: ["counter"]), expected: "a number", found: "nan")
            })
        var history = JournalHistory(seed: 2)
        try writer.commit(history.batch(inputs: 3, passes: 3))
        writer.close()
        #expect(
            told.withLock { $0 } == [
                "\(folder)/journal.sqlite: the snapshot after action 5 was not kept: it cannot be encoded: /counter: expected a number, found nan; the next start takes longer"
            ])
        #expect(try JournalReader(folder: folder).plainRecords() == history.records)
        #expect(try JournalReader(folder: folder).snapshots().good.isEmpty)
    }

    @Test func `without a thread for it a snapshot is dropped, and the end does not wait for it`() async {
        // In a process of its own, whose user may have no further thread; for root that does not count.
        await #expect(processExitsWith: .exitCode(7)) {
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            guard unsafe setrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &none) == 0,
                geteuid() != 0 || setuid(65_534) == 0
            else { exit(1) }
            let queue = JournalQueue(isStrict: true)
            let told = Mutex<[String]>([])
            let snapshot = JournalSnapshot(sequence: 3, generation: 1) { () throws(CodingFailure) in .empty }
            let writing = SnapshotWriting(snapshot, queue, path: "journal.sqlite", system: nil) { line in
                told.withLock { $0.append("\(line)") }
            }
            guard queue.hold() else { exit(2) }
            writing.begin(
                SnapshotWriting.Mark(id: 1, epoch: 1, batch: 1, generation: 0, effects: [], time: 0))
            let words =
                "journal.sqlite: the snapshot after action 3 was not kept: there is no thread for it; the next start takes longer"
            guard told.withLock({ $0 }) == [words] else { exit(3) }
            queue.close()
            guard case .end = queue.nextStep() else { exit(4) }
            exit(7)
        }
    }

    @Test func `old actions go when two snapshots do not need them, and open inputs stay`() throws {
        var history = JournalHistory(seed: 3)
        let time = Mutex(1_000.0)
        var options = JournalWriter.Options()
        options.clock = { time.withLock { $0 } }
        options.keptSeconds = 50
        var writer = try JournalWriter(folder: folder, options)
        for _ in 0..<10 { try writer.commit(history.batch(inputs: 10, passes: 10)) }
        let early = try JournalReader(folder: folder).bounds()
        // Not one snapshot is there: nothing goes.
        time.withLock { $0 += 100 }
        for _ in 0..<70 { try writer.commit(history.batch(inputs: 1, passes: 1)) }
        #expect(try JournalReader(folder: folder).bounds()?.lowerBound == early?.lowerBound)
        let second = history.nextSequence - 1
        for _ in 0..<2 {
            writer.write(
                JournalSnapshot(sequence: history.nextSequence - 1, generation: 1) {
                    () throws(CodingFailure) in Self.content(1)
                })
            writer.close()
            writer = try JournalWriter(folder: folder, options)
            time.withLock { $0 += 100 }
            try writer.commit(history.batch(inputs: 5, passes: 4))
        }
        for _ in 0..<70 { try writer.commit(history.batch(inputs: 1, passes: 1)) }
        writer.close()
        let reader = try JournalReader(folder: folder)
        let bounds = try #require(try reader.bounds())
        #expect(bounds.lowerBound > 1)
        #expect(bounds.lowerBound <= second + 1)
        #expect(bounds.upperBound == history.nextSequence - 1)
        #expect(
            try reader.plainRecords() == history.records.filter { $0.sequence >= bounds.lowerBound })
        #expect(try reader.openInputs().inputs == history.open.sorted { $0.number < $1.number })
        #expect(try reader.runningEffects() == history.running.sorted { $0.number < $1.number })
    }

    @Test func `an action stays for exactly as long as it is to be kept`() throws {
        let time = Mutex(1_000.0)
        var options = JournalWriter.Options()
        options.keptSeconds = 50
        options.clock = { time.withLock { $0 } }
        let writer = try JournalWriter(folder: folder, options)
        var next: UInt64 = 0
        func commit(_ count: Int) throws {
            for _ in 0..<count {
                next += 1
                var batch = JournalBatch(generation: 1, firstSequence: next)
                batch.entries = [JournalEntry(action: AnyAction("a"), source: .here(), time: nil)]
                try writer.commit(batch)
            }
        }
        try commit(10)
        for count in 1...2 {
            writer.write(
                JournalSnapshot(sequence: next, generation: 1) { () throws(CodingFailure) in
                    Self.content(count)
                })
            while try JournalReader(folder: folder).snapshots().good.count < count { try commit(1) }
        }
        time.withLock { $0 = 1_050 }
        // More than between two looks.
        try commit(200)
        #expect(try JournalReader(folder: folder).bounds()?.lowerBound == 1)
        time.withLock { $0 = 1_050.5 }
        try commit(200)
        #expect(try JournalReader(folder: folder).bounds()?.lowerBound ?? 0 > 1)
        writer.close()
    }

    @Test(arguments: [true, false])
    func `what somebody holds stays, or is announced before it goes`(isAnnounced: Bool) throws {
        let announced = Mutex<[UInt64]>([])
        let time = Mutex(1_000.0)
        var options = JournalWriter.Options()
        options.keptSeconds = 50
        options.clock = { time.withLock { $0 } }
        let writer = try JournalWriter(folder: folder, options)
        var next: UInt64 = 0
        func commit(_ count: Int) throws {
            for _ in 0..<count {
                next += 1
                var batch = JournalBatch(generation: 1, firstSequence: next)
                batch.entries = [JournalEntry(action: AnyAction("a"), source: .here(), time: nil)]
                try writer.commit(batch)
            }
        }
        try commit(10)
        let announce: @Sendable (UInt64) -> Void = { last in announced.withLock { $0.append(last) } }
        writer.hold(from: 4, onRemoval: isAnnounced ? announce : nil)
        for count in 1...2 {
            let sequence = next
            writer.write(
                JournalSnapshot(sequence: sequence, generation: 1) { () throws(CodingFailure) in
                    Self.content(count)
                })
            // So that it is written and verified.
            while try JournalReader(folder: folder).snapshots().good.count < count { try commit(1) }
        }
        time.withLock { $0 += 100 }
        try commit(70)
        let first = try JournalReader(folder: folder).bounds()?.lowerBound
        try commit(200)
        let later = try JournalReader(folder: folder).bounds()?.lowerBound
        if isAnnounced {
            #expect(announced.withLock { $0.count } == 1)
            #expect(announced.withLock { $0.first ?? 0 } >= 4)
            #expect(later ?? 0 > 4)
        } else {
            #expect(first == 4)
            #expect(later == 4)
            writer.hold(from: nil)
            try commit(70)
            #expect(try JournalReader(folder: folder).bounds()?.lowerBound ?? 0 > 4)
        }
        writer.close()
    }

    @Test func `a journal that is too large lets the oldest actions go`() throws {
        var history = JournalHistory(seed: 4)
        var options = JournalWriter.Options(mode: .relaxed)
        options.keptBytes = 1 << 20
        // On one thread, so that no snapshot is late, and by a clock that is never too early for a turn.
        let instant = Mutex(ContinuousClock.now)
        options.instant = {
            instant.withLock { instant in
                instant += .milliseconds(10)
                return instant
            }
        }
        let turns = try JournalTurns(folder: folder, options)
        let writer = JournalWriter(turns, options)
        let text = String(repeating: "x", count: 50_000)
        for round in 0..<300 {
            var batch = JournalBatch(generation: 1, firstSequence: UInt64(round + 1))
            batch.entries = [
                JournalEntry(
                    action: AnyAction("a", payload: .string(text)), source: .here(), time: nil)
            ]
            writer.submit(batch)
            #expect(turns.write())
            if round % 20 == 19 {
                writer.write(
                    JournalSnapshot(sequence: UInt64(round + 1), generation: 1) {
                        () throws(CodingFailure) in Self.content(round)
                    })
                while turns.write() || turns.perform() {}
            }
            while turns.maintain() {}
        }
        turns.close()
        #expect(turns.failure == nil)
        _ = history.batch(inputs: 0, passes: 0)
        let reader = try JournalReader(folder: folder)
        let bounds = try #require(try reader.bounds())
        #expect(bounds.upperBound == 300)
        #expect(bounds.lowerBound > 150)
        #expect(try reader.items().count == bounds.count)
        // 15 MB went through it.
        #expect(try FileSystem.read(folder + "/journal.sqlite").count < 8 << 20)
    }
}
