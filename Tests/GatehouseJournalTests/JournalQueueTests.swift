// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseJournal

/// Threads that wait for the writer.
@Suite(.timeLimit(.minutes(10))) struct JournalQueueTests {
    /// Work in which nothing is.
    private static let nothing = JournalQueue.Work.batch(
        JournalBatch(generation: 1, firstSequence: 1), nil)

    @Test func `a thread that brings too much sleeps until there is room`() throws {
        let queue = JournalQueue(isStrict: true)
        #expect(queue.put(Self.nothing, count: JournalQueue.room))
        let thread = WatchedThread { _ = queue.put(Self.nothing, count: 1) }
        #expect(try thread.comesToSleep())
        #expect(queue.take()?.count == 1)
        thread.wait()
        #expect(queue.take()?.count == 1)
    }

    @Test func `a thread sleeps until its note is written`() throws {
        let note = WaitingNote<Int>()
        let answer = WaitingNote<Int>()
        let thread = WatchedThread { answer.tell(note.wait()) }
        #expect(try thread.comesToSleep())
        note.tell(7)
        thread.wait()
        #expect(answer.wait() == 7)
    }
}
