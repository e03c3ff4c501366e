// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import Testing

@testable import GatehouseJournal
@testable import GatehouseRuntime

/// How long what was recorded waits before it is on its way to the disk.
@Suite(.timeLimit(.minutes(10))) struct JournalFlusherTests {
    @Test func `a commit begins at most 50 milliseconds after the first action that waits for it`() {
        #expect(JournalFlusher.patience + JournalQueue.gathering <= .milliseconds(50))
    }

    @Test func `what notice was given of is handed over after a sleep of no more than that`() {
        let sleeps = Mutex<[Duration]>([])
        let handOvers = DispatchSemaphore(value: 0)
        let flusher = JournalFlusher { duration in sleeps.withLock { $0.append(duration) } }
        defer { flusher.stop() }
        flusher.notice()
        #expect(flusher.start { handOvers.signal() })
        handOvers.wait()
        flusher.notice()
        handOvers.wait()
        #expect(sleeps.withLock { $0 } == [JournalFlusher.patience, JournalFlusher.patience])
    }

    @Test func `without notice nothing is handed over, and after it once`() {
        let (begun, goesOn, done) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        let flusher = JournalFlusher { _ in
            begun.signal()
            goesOn.wait()
        }
        defer { flusher.stop() }
        #expect(flusher.start { done.signal() })
        #expect(begun.wait(timeout: .now() + 0.05) == .timedOut)
        flusher.notice()
        begun.wait()
        goesOn.signal()
        done.wait()
        #expect(begun.wait(timeout: .now() + 0.05) == .timedOut)
        // Whoever has begun nevertheless must come to an end.
        goesOn.signal()
    }

    /// Says when nobody has it any more.
    private final class Witness: Sendable {
        /// Signalled then.
        let isGone: DispatchSemaphore

        /// A witness that somebody has.
        init(_ isGone: DispatchSemaphore) { self.isGone = isGone }

        deinit { isGone.signal() }
    }

    @Test(arguments: [true, false])
    func `the thread ends without handing over once it is stopped or nobody has the flusher`(isStopped: Bool)
    {
        let isGone = DispatchSemaphore(value: 0)
        let handOvers = Mutex(0)
        var flusher: JournalFlusher? = JournalFlusher { _ in }
        let started = flusher?.start { [witness = Witness(isGone)] in
            withExtendedLifetime(witness) { handOvers.withLock { $0 += 1 } }
        }
        #expect(started == true)
        if isStopped { flusher?.stop() } else { flusher = nil }
        #expect(isGone.wait(timeout: .now() + 10) == .success)
        #expect(handOvers.withLock { $0 } == 0)
        withExtendedLifetime(flusher) {}
    }

    @Test func `a relaxed writer sleeps until the first action has waited enough, whatever comes after that`()
    {
        let now = Mutex(ContinuousClock.now)
        let queue = JournalQueue(isStrict: false) { now.withLock { $0 } }
        #expect(told(queue.nextStep()) == "sleeps")
        #expect(queue.put(.batch(JournalBatch(generation: 1, firstSequence: 1), nil), count: 1))
        #expect(told(queue.nextStep()) == "sleeps 10000000")
        now.withLock { $0 += .milliseconds(7) }
        #expect(queue.put(.batch(JournalBatch(generation: 1, firstSequence: 1), nil), count: 1))
        #expect(told(queue.nextStep()) == "sleeps 3000000")
        now.withLock { $0 += .milliseconds(3) }
        #expect(told(queue.nextStep()) == "writes 2")
        #expect(told(queue.nextStep()) == "sleeps")
    }

    @Test func `a strict writer does not wait for more, and a relaxed one not for more than enough`() {
        for queue in [JournalQueue(isStrict: true), JournalQueue(isStrict: false)] {
            #expect(
                queue.put(
                    .batch(JournalBatch(generation: 1, firstSequence: 1), nil), count: JournalQueue.closing))
            #expect(told(queue.nextStep()) == "writes 1")
        }
        let queue = JournalQueue(isStrict: true)
        #expect(queue.put(.batch(JournalBatch(generation: 1, firstSequence: 1), nil), count: 1))
        #expect(told(queue.nextStep()) == "writes 1")
    }

    /// What the writer's thread does, in nanoseconds and numbers of batches.
    private func told(_ step: JournalQueue.Step) -> String {
        switch step {
        case .write(let works): "writes \(works.count)"
        case .sleep(nil): "sleeps"
        case .sleep(let limit?): "sleeps \(Int(limit / .nanoseconds(1)))"
        case .end: "ends"
        }
    }
}
