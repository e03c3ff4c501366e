// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import GatehouseSDK
import Testing

@testable import GatehouseJournal

/// What becomes of the memory of batches.
@Suite(.timeLimit(.minutes(10))) struct JournalBuffersTests {
    /// A batch of so many actions, the first of which has a number.
    private func batch(of count: Int, from first: UInt64 = 1) -> JournalBatch {
        var batch = JournalBatch(generation: 1, firstSequence: first)
        let source = ActionSource(file: "in", function: "", line: 1, info: nil)
        for _ in 0..<count {
            batch.entries.append(
                JournalEntry(
                    action: AnyAction(ActionType("a/b")), lineLength: 0, source: source, time: nil))
        }
        batch.lines.reserveCapacity(count * 100)
        return batch
    }

    @Test func `the memory of a batch that was written serves one to come, and nothing is in it`() throws {
        let temporary = try TemporaryFolder()
        let writer = try JournalWriter(folder: temporary("journal"))
        try writer.commit(batch(of: 2_000))
        writer.close()
        let free = try #require(writer.buffers.take())
        #expect(free.entries.isEmpty && free.lines.isEmpty)
        #expect(free.entries.capacity >= 2_000 && free.lines.capacity >= 200_000)
        #expect(writer.buffers.take() == nil)
    }

    @Test func `no more is kept than what goes round, and no small memory`() {
        let buffers = JournalBuffers()
        buffers.give(batch(of: JournalBuffers.least / 4))
        #expect(buffers.take() == nil)
        for _ in 0..<JournalBuffers.most + 3 { buffers.give(batch(of: JournalBuffers.least)) }
        var count = 0
        while buffers.take() != nil { count += 1 }
        #expect(count == JournalBuffers.most)
    }

    @Test func `memory that is given back is empty, in each round`() throws {
        let buffers = JournalBuffers()
        var first: UInt64 = 1
        for _ in 1...3 {
            var batch = batch(of: JournalBuffers.least, from: first)
            batch.lines = [UInt8](repeating: UInt8(ascii: "x"), count: 5_000)
            buffers.give(batch)
            let free = try #require(buffers.take())
            #expect(free.entries.isEmpty && free.lines.isEmpty)
            #expect(free.entries.capacity >= JournalBuffers.least && free.lines.capacity >= 5_000)
            first += UInt64(JournalBuffers.least)
        }
    }
}
