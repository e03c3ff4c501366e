// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import SeededTesting
import Synchronization
import Testing

@testable import Gatehouse

/// How long one caller drains for others.
@Suite(.timeLimit(.minutes(5)))
struct HandOverTests {
    /// Leaves one more element in a queue's mail each time it is asked, as another thread would.
    private final class Feeder: Sendable {
        private let queue: DrainQueue<IntBody>
        private let number = Atomic<Int>(0)

        /// Feeds a queue the numbers from 1 on.
        init(_ queue: DrainQueue<IntBody>) { self.queue = queue }

        /// Lets one more come.
        func next() { queue.mailbox.post(.element(number.add(1, ordering: .relaxed).newValue)) }
    }

    /// Who processed how many elements.
    private final class Record: Sendable {
        let byThread = Lock<[UInt: Int]>([:])

        /// Counts one for the calling thread.
        func count() { byThread.withLock { $0[StoreThread.current, default: 0] += 1 } }
    }

    @Test func `a caller that drains for others without end is let go, and nothing is lost or out of order`()
    {
        let last = 25_000
        let queue = DrainQueue<IntBody>.numbers(DrainLimits())
        let feeder = Feeder(queue)
        let (record, ended) = (Record(), DispatchSemaphore(value: 0))
        let before = Atomic<Int>(-1)
        let outOfOrder = Atomic<Int>(0)
        queue.open(
            IntBody { element in
                record.count()
                if before.exchange(element, ordering: .relaxed) != element - 1 {
                    outOfOrder.add(1, ordering: .relaxed)
                }
                // Each element finds the next one in the mail when it is done, so the queue is never empty.
                if element < last { feeder.next() } else { ended.signal() }
            })
        let me = Lock<UInt>(0)
        let caller = Threads.start {
            me.withLock { $0 = StoreThread.current }
            queue.dispatch(0)
        }
        caller.wait()
        ended.wait()
        queue.withExclusiveAccess { queue.close() }
        let counts = record.byThread.withLock { $0 }
        #expect(counts.values.reduce(0, +) == last + 1)
        #expect(outOfOrder.load(ordering: .relaxed) == 0)
        #expect(counts[me.withLock { $0 }] == Drain.patience + 1, "its own element and those of others")
        #expect(counts.count == 2, "one thread takes the rest")
    }

    @Test func `a thread that takes the rest gives up the right when nothing is left`() throws {
        let last = 12_000
        let queue = DrainQueue<IntBody>.numbers(DrainLimits())
        let feeder = Feeder(queue)
        let ended = DispatchSemaphore(value: 0)
        queue.open(
            IntBody { element in
                guard element == last else { return feeder.next() }
                ended.signal()
            })
        queue.dispatch(0)
        ended.wait()
        let end = ContinuousClock.now + .seconds(10)
        while queue.owner.load(ordering: .relaxed) != 0, ContinuousClock.now < end { sched_yield() }
        // Whoever wants it otherwise waits for ever.
        let isFree = queue.owner.load(ordering: .relaxed) == 0
        try #require(isFree)
        queue.withExclusiveAccess { queue.close() }
    }

    @Test func `a caller is let go although one element of somebody else is answered without end`() {
        let last = 25_000
        let queue = DrainQueue<IntBody>.numbers(DrainLimits(chain: 2 * last))
        let (record, ended) = (Record(), DispatchSemaphore(value: 0))
        queue.open(
            IntBody { [unowned queue] element in
                record.count()
                if element < last { queue.dispatch(element + 1) } else { ended.signal() }
            })
        let me = Lock<UInt>(0)
        Threads.start {
            me.withLock { $0 = StoreThread.current }
            // It wants something small done, and finds the element when that is over.
            queue.enqueue { [queue] in queue.mailbox.post(.element(0)) }
        }.wait()
        ended.wait()
        queue.withExclusiveAccess { queue.close() }
        let counts = record.byThread.withLock { $0 }
        #expect(counts.values.reduce(0, +) == last + 1)
        #expect(counts[me.withLock { $0 }] == Drain.patience - 1, "its own small thing counts too")
        #expect(counts.count == 2, "one thread takes the rest")
    }

    @Test func `a caller drains until what its own element led to is done, however much others bring`() {
        let queue = DrainQueue<IntBody>.numbers(DrainLimits())
        let feeder = Feeder(queue)
        let record = Record()
        let ownDone = Atomic<Bool>(false)
        let fed = Atomic<Int>(0)
        // Its own chain is one answer longer than the letters that come meanwhile.
        queue.open(
            IntBody { [unowned queue] element in
                record.count()
                if element > 0 { return }
                if fed.add(1, ordering: .relaxed).newValue <= 15 {
                    for _ in 0..<1000 { feeder.next() }
                    queue.dispatch(0)
                } else {
                    ownDone.store(true, ordering: .relaxed)
                }
            })
        queue.dispatch(0)
        let isDone = ownDone.load(ordering: .relaxed)
        #expect(isDone, "done when dispatch returns")
        queue.withExclusiveAccess { queue.close() }
        #expect(record.byThread.withLock { $0.values.reduce(0, +) } == 15_016)
    }

    @Test(arguments: [false, true])
    func `a caller whose own element has led to something is let go when that is done`(findsMail: Bool) {
        let last = 25_000
        let queue = DrainQueue<IntBody>.numbers(DrainLimits())
        let feeder = Feeder(queue)
        let (record, ended) = (Record(), DispatchSemaphore(value: 0))
        queue.open(
            IntBody { [unowned queue] element in
                record.count()
                if element == 0 { queue.dispatch(-1) }
                if element == -1 || (1..<last).contains(element) { feeder.next() }
                if element == last { ended.signal() }
            })
        let me = Lock<UInt>(0)
        Threads.start {
            me.withLock { $0 = StoreThread.current }
            if findsMail { queue.mailbox.post(.element(-2)) }
            queue.dispatch(0)
        }.wait()
        ended.wait()
        queue.withExclusiveAccess { queue.close() }
        #expect(record.byThread.withLock { $0 }[me.withLock { $0 }] == Drain.patience + 2)
    }

    @Test func `a caller that finds mail drains until what its own element led to is done`() {
        let queue = DrainQueue<IntBody>.numbers(DrainLimits())
        let feeder = Feeder(queue)
        let fed = Atomic<Int>(0)
        let ownDone = Atomic<Bool>(false)
        queue.open(
            IntBody { [unowned queue] element in
                guard element < 0 else { return }
                if fed.add(1, ordering: .relaxed).newValue <= 12 {
                    for _ in 0..<1000 { feeder.next() }
                    queue.dispatch(element)
                } else {
                    ownDone.store(true, ordering: .relaxed)
                }
            })
        queue.mailbox.post(.element(0))
        queue.dispatch(-1)
        let isDone = ownDone.load(ordering: .relaxed)
        #expect(isDone, "done when dispatch returns")
        queue.withExclusiveAccess { queue.close() }
    }

    @Test func `what one caller did for others does not count against the next one`() {
        let queue = DrainQueue<IntBody>.numbers(DrainLimits())
        let record = Record()
        let left = Atomic<Int>(0)
        let feeder = Feeder(queue)
        queue.open(
            IntBody { _ in
                record.count()
                if left.subtract(1, ordering: .relaxed).newValue >= 0 { feeder.next() }
            })
        for _ in 0..<2 {
            left.store(9000, ordering: .relaxed)
            queue.dispatch(0)
        }
        queue.withExclusiveAccess { queue.close() }
        #expect(record.byThread.withLock { $0 } == [StoreThread.current: 2 * 9001])
    }

    @Test func `whoever waits for exclusive access gets it in turn although somebody hands over meanwhile`() {
        let last = 12_000
        let queue = DrainQueue<IntBody>.numbers(DrainLimits())
        let feeder = Feeder(queue)
        let count = Atomic<Int>(0)
        let ended = DispatchSemaphore(value: 0)
        queue.open(
            IntBody { element in
                count.add(1, ordering: .relaxed)
                if element < last { feeder.next() } else { ended.signal() }
            })
        // The mail makes this thread drain before its closure runs.
        queue.mailbox.post(.element(0))
        let isExclusive = queue.withExclusiveAccess { queue.isCurrent }
        #expect(isExclusive)
        ended.wait()
        queue.withExclusiveAccess { queue.close() }
        #expect(count.load(ordering: .relaxed) == last + 1)
    }

    @Test func `mail that is more than one caller takes goes to another thread as a whole`() {
        let queue = DrainQueue<IntBody>.numbers(DrainLimits())
        let record = Record()
        queue.open(IntBody { _ in record.count() })
        queue.enqueue { [queue] in
            for element in 0..<30_000 { queue.mailbox.post(.element(element)) }
        }
        queue.withExclusiveAccess { queue.close() }
        #expect(record.byThread.withLock { $0.values.reduce(0, +) } == 30_000)
        #expect(record.byThread.withLock { $0.count } == 1)
        #expect(record.byThread.withLock { $0[StoreThread.current] } == nil)
    }

    @Test func `an element that comes while another thread finishes is not left for the next one`() {
        let rounds = 20_000
        let arrived = Atomic<Int>(0)
        let left = Atomic<Int>(0)
        let done = Atomic<Int>(0)
        let lost = Atomic<Int>(0)
        let queue = DrainQueue<IntBody>.numbers(DrainLimits())
        queue.open(
            IntBody { steps in
                for _ in 0..<steps { _ = done.load(ordering: .sequentiallyConsistent) }
                done.add(1, ordering: .sequentiallyConsistent)
            })
        // Two threads meet, dispatch at the same time, and look together whether both elements are done.
        Threads.run(2) { index in
            var generator = SeededGenerator(seed: UInt64(index))
            for round in 1...rounds {
                let steps = Int.random(in: 0..<40, using: &generator)
                arrived.add(1, ordering: .sequentiallyConsistent)
                while arrived.load(ordering: .sequentiallyConsistent) < 2 * round { sched_yield() }
                queue.dispatch(steps)
                left.add(1, ordering: .sequentiallyConsistent)
                while left.load(ordering: .sequentiallyConsistent) < 2 * round { sched_yield() }
                if done.load(ordering: .sequentiallyConsistent) != 2 * round {
                    lost.add(1, ordering: .sequentiallyConsistent)
                    return
                }
            }
        }
        #expect(lost.load(ordering: .sequentiallyConsistent) == 0)
        queue.withExclusiveAccess { queue.close() }
    }

    @Test
    func `whoever gets exclusive access drains as much as any other caller first, whatever it did before`() {
        let last = 25_000
        let queue = DrainQueue<IntBody>.numbers(DrainLimits())
        let feeder = Feeder(queue)
        let (record, ended) = (Record(), DispatchSemaphore(value: 0))
        queue.open(
            IntBody { element in
                record.count()
                // Five thousand for the first caller, and then without end for the other.
                if element != 5_000, element < last { feeder.next() }
                if element == last { ended.signal() }
            })
        let me = Lock<UInt>(0)
        Threads.start {
            me.withLock { $0 = StoreThread.current }
            queue.dispatch(0)
            queue.mailbox.post(.element(5_001))
            _ = queue.withExclusiveAccess { queue.isCurrent }
        }.wait()
        ended.wait()
        queue.withExclusiveAccess { queue.close() }
        let counts = record.byThread.withLock { $0 }
        #expect(counts[me.withLock { $0 }] == 5_001 + Drain.patience)
        #expect(counts.count == 2)
    }
}
