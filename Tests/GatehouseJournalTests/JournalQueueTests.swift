// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Synchronization
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
        let thread = try WatchedThread { _ = queue.put(Self.nothing, count: 1) }
        #expect(try thread.comesToSleep())
        #expect(queue.take()?.count == 1)
        try thread.wait()
        #expect(queue.take()?.count == 1)
    }

    @Test func `a thread sleeps until its note is written`() throws {
        let note = WaitingNote<Int>()
        let answer = WaitingNote<Int>()
        let thread = try WatchedThread { answer.tell(note.wait()) }
        #expect(try thread.comesToSleep())
        note.tell(7)
        try thread.wait()
        #expect(answer.wait() == 7)
    }

    /// What the writer's thread does next, in milliseconds and numbers of works.
    private func step(_ queue: JournalQueue) -> String {
        switch queue.nextStep() {
        case .write(let works): "writes \(works.count)"
        case .sleep(nil): "sleeps"
        case .sleep(let limit?): "sleeps \(limit / .milliseconds(1))"
        case .end: "ends"
        }
    }

    @Test func `a relaxed writer gathers for ten milliseconds, each time anew`() {
        let now = Mutex(ContinuousClock.now)
        let queue = JournalQueue(isStrict: false) { now.withLock { $0 } }
        for _ in 1...2 {
            #expect(step(queue) == "sleeps")
            #expect(queue.put(Self.nothing, count: 1))
            now.withLock { $0 += .milliseconds(9) }
            #expect(queue.put(Self.nothing, count: 1))
            #expect(step(queue) == "sleeps 1.0")
            now.withLock { $0 += .milliseconds(1) }
            #expect(step(queue) == "writes 2")
        }
    }

    @Test func `a relaxed writer does not wait for more than 1,024 inputs and actions, each time anew`() {
        let now = ContinuousClock.now
        let queue = JournalQueue(isStrict: false) { now }
        for _ in 1...2 {
            #expect(queue.put(Self.nothing, count: 1_000))
            #expect(queue.put(Self.nothing, count: 23))
            #expect(step(queue) == "sleeps 10.0")
            #expect(queue.put(Self.nothing, count: 1))
            #expect(step(queue) == "writes 3")
        }
    }

    @Test func `a relaxed writer that sleeps wakes when 1,024 inputs and actions wait`() throws {
        let begin = ContinuousClock.now
        // What waits came half a minute ahead of the writer's clock, so the writer sleeps for as long.
        let now = Mutex(begin + .seconds(30))
        let queue = JournalQueue(isStrict: false) { now.withLock { $0 } }
        #expect(queue.put(Self.nothing, count: 1_023))
        now.withLock { $0 = begin }
        let thread = try WatchedThread { _ = queue.take() }
        #expect(try thread.comesToSleep())
        #expect(queue.put(Self.nothing, count: 1))
        try thread.wait()
        #expect(ContinuousClock.now < begin + .seconds(25))
    }

    @Test
    func `a relaxed writer does not wait while somebody sleeps until it is written, or the end has come`() {
        let now = ContinuousClock.now
        let queue = JournalQueue(isStrict: false) { now }
        for _ in 1...2 {
            #expect(queue.put(Self.nothing, count: 1))
            #expect(step(queue) == "sleeps 10.0")
            #expect(queue.put(Self.nothing, count: 1, isUrgent: true))
            #expect(step(queue) == "writes 2")
        }
        #expect(queue.put(Self.nothing, count: 1))
        queue.close()
        #expect(step(queue) == "writes 1")
        #expect(step(queue) == "ends")
    }

    @Test func `a strict writer writes what is there`() {
        let queue = JournalQueue(isStrict: true)
        for _ in 1...2 {
            #expect(queue.put(Self.nothing, count: 0))
            #expect(step(queue) == "writes 1")
            #expect(step(queue) == "sleeps")
        }
    }

    @Test func `works are written in the order in which they came`() {
        let order = Mutex<[Int]>([])
        let queue = JournalQueue(isStrict: true)
        for number in 1...3 {
            let work = JournalQueue.Work.batch(JournalBatch(generation: 1, firstSequence: 1)) { _ in
                order.withLock { $0.append(number) }
            }
            #expect(queue.put(work, count: 1))
        }
        for work in queue.take() ?? [] { work.onCommit?(nil) }
        #expect(order.withLock { $0 } == [1, 2, 3])
    }

    @Test func `what is brought in pieces holds up the end, and may still come`() {
        let queue = JournalQueue(isStrict: true)
        #expect(queue.hold())
        #expect(queue.hold())
        queue.close()
        #expect(!queue.hold())
        #expect(!queue.put(Self.nothing, count: 0))
        #expect(step(queue) == "sleeps")
        #expect(queue.put(Self.nothing, count: 0, isHeld: true))
        #expect(step(queue) == "writes 1")
        queue.release()
        #expect(step(queue) == "sleeps")
        queue.release()
        #expect(step(queue) == "ends")
        #expect(queue.take() == nil)
    }

    @Test func `what is no input and no action finds room, also when there is none`() {
        let queue = JournalQueue(isStrict: true)
        #expect(queue.put(Self.nothing, count: JournalQueue.room - 1))
        #expect(queue.put(Self.nothing, count: 5))
        #expect(queue.put(Self.nothing, count: 0))
        #expect(step(queue) == "writes 3")
    }

    @Test func `all threads that sleep for room go on, each time`() throws {
        let queue = JournalQueue(isStrict: true)
        for _ in 1...2 {
            #expect(queue.put(Self.nothing, count: JournalQueue.room))
            let threads = try (1...3).map { _ in try WatchedThread { _ = queue.put(Self.nothing, count: 1) } }
            for thread in threads { #expect(try thread.comesToSleep()) }
            #expect(queue.take()?.count == 1)
            for thread in threads { try thread.wait() }
            #expect(queue.take()?.count == 3)
        }
    }

    @Test func `a thread that waits for room is told that there will be none`() throws {
        let queue = JournalQueue(isStrict: true)
        #expect(queue.put(Self.nothing, count: JournalQueue.room))
        let isTaken = Mutex(true)
        let thread = try WatchedThread {
            let isAccepted = queue.put(Self.nothing, count: 1)
            isTaken.withLock { $0 = isAccepted }
        }
        #expect(try thread.comesToSleep())
        queue.close()
        #expect(queue.take()?.count == 1)
        try thread.wait()
        #expect(isTaken.withLock { !$0 })
        #expect(queue.take() == nil)
    }

    @Test func `a writer that sleeps wakes for what comes first, and for the end`() throws {
        let queue = JournalQueue(isStrict: true)
        let counts = Mutex<[Int]>([])
        let thread = try WatchedThread {
            while let works = queue.take() { counts.withLock { $0.append(works.count) } }
        }
        for _ in 1...2 {
            #expect(try thread.comesToSleep())
            #expect(queue.put(Self.nothing, count: 1))
        }
        #expect(try thread.comesToSleep())
        queue.close()
        try thread.wait()
        #expect(counts.withLock { $0.reduce(0, +) } == 2)
    }

    @Test func `a writer that sleeps at the end wakes when the last piece has come`() throws {
        let queue = JournalQueue(isStrict: true)
        #expect(queue.hold())
        let thread = try WatchedThread { while queue.take() != nil {} }
        #expect(try thread.comesToSleep())
        queue.close()
        #expect(try thread.comesToSleep())
        queue.release()
        try thread.wait()
        #expect(!queue.put(Self.nothing, count: 0))
    }

    @Test func `the first failure stays`() {
        let queue = JournalQueue(isStrict: true)
        #expect(queue.failure == nil)
        let first = JournalFailure("a", .writing, .closed)
        #expect(queue.fail(first))
        #expect(!queue.fail(JournalFailure("b", .writing, .closed)))
        #expect(queue.failure == first)
    }
}
