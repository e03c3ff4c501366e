// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import SeededTesting
import Synchronization
import Testing

@testable import GatehouseJournal
@testable import GatehousePlan

/// What is left of a journal when the power goes: on a disk that loses what was not synced, all of it or some sectors.
@Suite(.timeLimit(.minutes(10))) struct PowerLossTests {
    /// A journal's folder.
    private let folder: String
    /// Where its remains are.
    private let remains: String
    /// Removed after the test.
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = temporary("journal")
        remains = try temporary.makeFolder("remains")
    }

    /// A writer on the disk that forgets.
    private func writer(_ mode: JournalMode) throws -> JournalWriter {
        var options = JournalWriter.Options(mode: mode)
        options.system = LossyDisk.register()
        return try JournalWriter(folder: folder, options)
    }

    /// Leaves all that was promised so far, although nothing has forced it to the disk: whatever is cut off afterwards keeps it.
    private func leavePromise(in remains: String) throws {
        try FileSystem.write(
            FileSystem.read(folder + "/journal.promise"), to: remains + "/journal.promise")
    }

    /// Writes random batches, cuts the power after some of them, and looks at what is left.
    ///
    /// - Parameter isSynced: whether all that was told to be committed is synced before the cut.
    /// - Returns: how many batches were told to be committed before the cut, and how many are left.
    private func cut(_ mode: JournalMode, seed: UInt64, isSynced: Bool) throws -> (told: Int, left: Int) {
        var history = JournalHistory(seed: seed)
        var moments = [history]
        let writer = try writer(mode)
        let told = Mutex(0)
        let last = Int.random(in: 1...40, using: &history.generator)
        for number in 1...last {
            let inputs = Int.random(in: 1...30, using: &history.generator)
            let passes = Int.random(in: 0...30, using: &history.generator)
            let batch = history.batch(inputs: inputs, passes: passes)
            moments.append(history)
            let note: @Sendable (JournalFailure?) -> Void = { failure in
                if failure == nil { told.withLock { $0 = number } }
            }
            // Some are waited for, so that there are many transactions.
            if number % 4 == 0 {
                try writer.commit(batch)
                told.withLock { $0 = number }
            } else {
                writer.submit(batch, note)
            }
        }
        if isSynced {
            try writer.commit(JournalBatch(generation: 1, firstSequence: history.nextSequence))
            LossyDisk.awaitSync(of: folder + "/journal.sqlite-wal")
        }
        let before = told.withLock { $0 }
        let kept = UInt32([0, 300, 700, 1_000].randomElement(using: &history.generator) ?? 0)
        try leavePromise(in: remains)
        #expect(LossyDisk.cut(folder, to: remains, seed: seed, kept: kept) == 0)
        writer.close()

        let reader = try JournalReader(folder: remains)
        let position = try reader.position()
        let left = try #require(
            moments.firstIndex {
                $0.nextSequence == position.sequence && $0.nextInput == position.input
                    && $0.nextEffect == position.effect
            }, "seed \(seed)")
        #expect(try reader.items().count == moments[left].records.count, "seed \(seed)")
        #expect(try reader.plainRecords() == moments[left].records, "seed \(seed)")
        #expect(
            try reader.openInputs().inputs.map(\.number) == moments[left].open.map(\.number).sorted(),
            "seed \(seed)")
        // And the next host goes on with it.
        let next = try JournalWriter(folder: remains)
        #expect(next.start.sequence == position.sequence)
        next.close()
        return (before, left)
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `in strict mode nothing is lost that was told to be committed`(seed: UInt64) throws {
        let (told, left) = try cut(.strict, seed: seed, isSynced: false)
        #expect(left >= told, "seed \(seed)")
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `in relaxed mode what is left is whole up to some batch`(seed: UInt64) throws {
        _ = try cut(.relaxed, seed: seed, isSynced: false)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `in relaxed mode the log is synced although nothing more comes`(seed: UInt64) throws {
        let (told, left) = try cut(.relaxed, seed: seed, isSynced: true)
        #expect(left >= told, "seed \(seed)")
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `nothing is lost while the log is written back`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let writer = try writer(.strict)
        let text = String(repeating: "x", count: 100_000)
        var told: UInt64 = 0
        for number in 1...150 as ClosedRange<UInt64> {
            var batch = JournalBatch(generation: 1, firstSequence: number)
            batch.entries = [
                JournalEntry(action: AnyAction("a", payload: .string(text)), source: .here(), time: nil)
            ]
            try writer.commit(batch)
            told = number
            if number % 25 == 0 {
                let target = try temporary.makeFolder("remains-\(number)")
                let kept = UInt32.random(in: 0...1_000, using: &generator)
                #expect(LossyDisk.cut(folder, to: target, seed: seed, kept: kept) == 0)
                #expect(try JournalReader(folder: target).bounds() == 1...told)
                #expect(try JournalReader(folder: target).items().count == Int(told))
            }
        }
        writer.close()
    }
}
