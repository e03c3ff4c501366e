// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseJournal
@testable import GatehouseRuntime

/// What a journal gets of a batch while actions are under way.
@Suite struct JournalBatchSettledTests {
    /// Three actions from 5 on, each with a line of its number of bytes, the effects that each of them began, and effects that have ended.
    private var batch: JournalBatch {
        var batch = JournalBatch(generation: 2, firstSequence: 5)
        for length in 1...3 {
            batch.entries.append(
                JournalEntry(action: nil, lineLength: length, source: .here(), time: nil))
            batch.lines += [UInt8](repeating: UInt8(length), count: length)
            batch.begun.append(
                JournalEffect(
                    number: UInt64(10 + length), instance: "a", sequence: UInt64(4 + length), key: "k"))
        }
        batch.resumed = [JournalEffect(number: 3, instance: "a", sequence: 9, key: "k")]
        batch.ended = [4, 11, 12, 13]
        return batch
    }

    /// A batch in words.
    private func text(_ batch: JournalBatch) -> String {
        "from \(batch.firstSequence): \(batch.entries.map(\.lineLength)), \(batch.lines), begun \(batch.begun.map(\.number)), resumed \(batch.resumed.map(\.number)), ended \(batch.ended)"
    }

    @Test func `what is settled goes, and what later actions led to stays`() {
        var rest = batch
        let settled = rest.takeSettled(upTo: 6, from: JournalBuffers())
        #expect(
            text(settled) == "from 5: [1, 2], [1, 2, 2], begun [11, 12], resumed [3], ended [4, 11, 12]")
        #expect(text(rest) == "from 7: [3], [3, 3, 3], begun [13], resumed [], ended [13]")
        #expect(settled.generation == 2 && rest.generation == 2)
    }

    @Test func `what was begun by an action that is not settled stays though that is not in the batch`() {
        var rest = batch
        rest.begun.append(JournalEffect(number: 14, instance: "a", sequence: 8, key: "k"))
        rest.ended.append(14)
        let settled = rest.takeSettled(upTo: 7, from: JournalBuffers())
        #expect(settled.entries.count == 3 && settled.begun.map(\.number) == [11, 12, 13])
        #expect(settled.ended == [4, 11, 12, 13])
        #expect(text(rest) == "from 8: [], [], begun [14], resumed [], ended [14]")
    }

    @Test func `all of it goes where nothing is under way, and nothing where nothing is settled`() {
        var rest = batch
        #expect(text(rest.takeSettled(upTo: 7, from: JournalBuffers())) == text(batch))
        #expect(rest.isEmpty && rest.firstSequence == 8)
        #expect(rest.takeSettled(upTo: 9, from: JournalBuffers()).isEmpty)
        var whole = batch
        #expect(whole.takeSettled(upTo: 4, from: JournalBuffers()).entries.isEmpty)
        #expect(
            text(whole)
                == "from 5: [1, 2, 3], [1, 2, 2, 3, 3, 3], begun [11, 12, 13], resumed [], ended [11, 12, 13]"
        )
    }
}
