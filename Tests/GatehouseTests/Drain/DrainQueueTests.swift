// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization
import Testing

@testable import Gatehouse

/// The queue by itself, with a body that is no store.
@Suite(.timeLimit(.minutes(5)))
struct DrainQueueTests {
    /// What bodies did, in order.
    private final class Record: Sendable {
        private let lines = Mutex<[String]>([])

        /// All lines so far.
        var all: [String] { lines.withLock { $0 } }

        /// Appends one line, from any thread.
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    /// A body that writes down what it is given, and does what a test wants.
    private final class Body: DrainBody, @unchecked Sendable {
        // @unchecked Sendable: everything is a constant, and `act` is called in the drain only.

        /// Its name in the record.
        let name: String
        /// The record that takes the lines.
        let record: Record
        /// What happens while an element is in hand.
        let act: (Body, Int) -> Void

        init(_ name: String, _ record: Record, act: @escaping (Body, Int) -> Void = { _, _ in }) {
            self.name = name
            self.record = record
            self.act = act
        }

        deinit { record.add("\(name) goes") }

        var isReducing: Bool { false }
        func noticeDispatchInReducer(_ element: Int) {}

        func process(_ element: Int) {
            record.add("\(name) takes \(element)")
            act(self, element)
            record.add("\(name) has taken \(element)")
        }
    }

    /// A queue whose losses are written down.
    private func queue(_ record: Record, limits: DrainLimits = DrainLimits(chain: 100)) -> DrainQueue<Body> {
        DrainQueue(
            limits: limits,
            hooks: DrainHooks(
                onCut: {
                    record.add("\($0.input): more than \($0.limit): \($0.recent), \($0.dropped) dropped")
                },
                onLate: { record.add("too late: \($0)") }))
    }

    @Test func `a body that is replaced inside its pass is there until the pass has ended`() {
        let record = Record()
        let queue = queue(record)
        queue.open(
            Body("old", record) { body, element in
                guard element == 1 else { return }
                queue.dispatch(2)
                queue.open(Body("new", record))
                // Whatever the body has is still there.
                body.record.add("\(body.name) goes on")
            })
        queue.dispatch(1)
        #expect(
            record.all == [
                "old takes 1", "old goes on", "old has taken 1", "old goes", "new takes 2", "new has taken 2",
            ])
    }

    @Test
    func `a body that is closed inside its pass is there until the pass has ended, later ones are late`() {
        let record = Record()
        let queue = queue(record)
        queue.open(
            Body("body", record) { body, _ in
                queue.dispatch(2)
                queue.close()
                body.record.add("\(body.name) goes on")
            })
        queue.dispatch(1)
        queue.dispatch(3)
        #expect(
            record.all == [
                "body takes 1", "body goes on", "body has taken 1", "body goes", "too late: 2", "too late: 3",
            ])
        #expect(queue.activity.lateActions == 2)
    }

    @Test func `a body that is closed with exclusive access is gone when that returns`() {
        let record = Record()
        let queue = queue(record)
        queue.open(Body("body", record))
        queue.withExclusiveAccess { queue.close() }
        #expect(record.all == ["body goes"])
    }

    @Test
    func `what is called beforehand comes before an element that is processed at once, and not otherwise`() {
        let record = Record()
        let queue = queue(record)
        queue.open(
            Body("body", record) { _, element in
                if element == 1 { queue.dispatch(2) { _ in record.add("beforehand 2") } }
            })
        queue.dispatch(1) { $0.record.add("beforehand 1") }
        #expect(
            record.all == [
                "beforehand 1", "body takes 1", "body has taken 1", "body takes 2", "body has taken 2",
            ])
        withExtendedLifetime(queue) {}
    }

    @Test func `outputs are dropped when those of one input are larger than they may be together`() {
        let record = Record()
        let queue = queue(record, limits: DrainLimits(chain: 100, bytes: 25))
        queue.open(
            Body("body", record) { _, element in
                guard element > 0, queue.takes({ element + 1 }, sizedUpTo: { min(10, $0) }) else { return }
                queue.dispatch(element + 1)
            })
        queue.dispatch(1)
        queue.dispatch(7)
        #expect(
            record.all.filter { $0.contains("more") } == [
                "1: more than 25: [4], 1 dropped", "7: more than 25: [10], 1 dropped",
            ])
        // What no element in hand leads to is not measured.
        #expect(queue.takes({ 0 }, sizedUpTo: { $0 }))
    }

    @Test func `an output of one byte counts, and one of none passes also after one that was too large`() {
        let record = Record()
        let queue = queue(record, limits: DrainLimits(chain: 100, bytes: 2))
        queue.open(
            Body("body", record) { body, element in
                guard element == 0 else { return }
                for (output, size) in [(1, 1), (2, 0), (3, 1), (4, 1), (5, 0), (6, 1)] {
                    if queue.takes({ output }, sizedUpTo: { min($0, size) }) { queue.dispatch(output) }
                }
            })
        queue.dispatch(0)
        #expect(
            record.all.filter { $0.hasPrefix("body takes") || $0.contains("more") }
                == [0, 1, 2, 3, 5].map { "body takes \($0)" } + ["0: more than 2: [4], 2 dropped"])
    }

    @Test func `once an output was too large, no further one with any size passes, whatever room it left`() {
        let record = Record()
        let queue = queue(record, limits: DrainLimits(chain: 100, bytes: 10))
        queue.open(
            Body("body", record) { _, element in
                guard element == 0 else { return }
                for (output, size) in [(1, 3), (2, 8), (3, 1), (4, 0)] {
                    if queue.takes({ output }, sizedUpTo: { min($0, size) }) { queue.dispatch(output) }
                }
            })
        queue.dispatch(0)
        #expect(
            record.all.filter { $0.hasPrefix("body takes") || $0.contains("more") }
                == [0, 1, 4].map { "body takes \($0)" } + ["0: more than 10: [2], 2 dropped"])
    }

    @Test func `each input may lead to as many bytes as the limit says, whatever came of the one before`() {
        let record = Record()
        let queue = queue(record, limits: DrainLimits(chain: 100, bytes: 2))
        queue.open(
            Body("body", record) { _, element in
                guard element == 0 else { return }
                for output in 1...2 where queue.takes({ output }, sizedUpTo: { _ in 1 }) {
                    queue.dispatch(output)
                }
            })
        for _ in 0..<3 { queue.dispatch(0) }
        #expect(record.all.filter { $0.contains("more") } == [])
        #expect(record.all.filter { $0 == "body takes 2" }.count == 3)
        queue.withExclusiveAccess { queue.close() }
    }

    @Test func `what a job hands over is settled with the last of it, and what that has led to`() {
        let record = Record()
        let queue = queue(record)
        queue.open(
            Body("body", record) { body, element in
                if element == 2 { queue.dispatch(4) }
                body.record.add("\(element) \(queue.isSettled)")
            })
        queue.enqueue { for element in 1...3 { queue.dispatch(element) } }
        #expect(
            record.all.filter { $0.hasSuffix("e") }
                == ["1 false", "2 false", "3 false", "4 true"])
        queue.withExclusiveAccess { queue.close() }
    }

    @Test func `what waits is counted, and a pass that leads to nothing is settled`() {
        let record = Record()
        let queue = queue(record)
        queue.open(
            Body("body", record) { body, element in
                guard element < 2 else { return }
                body.record.add("\(queue.waiting) wait, \(queue.isSettled)")
                for output in element..<2 { queue.dispatch(output + 1) }
                Threads.start { queue.dispatch(7) }.wait()
                body.record.add("\(queue.waiting) wait, \(queue.isSettled)")
            })
        queue.dispatch(0)
        #expect(
            record.all.filter { $0.contains("wait") } == [
                "0 wait, true", "3 wait, false", "2 wait, false", "4 wait, false",
            ])
        queue.enqueue {
            for element in 2...3 { queue.dispatch(element) }
            record.add("\(queue.waiting) of a job wait")
        }
        #expect(record.all.contains("2 of a job wait"))
        queue.withExclusiveAccess { queue.close() }
    }

    @Test func `a chain is cut past its limit, and told with its end`() {
        let record = Record()
        let queue = queue(record, limits: DrainLimits(chain: 3))
        queue.open(Body("body", record) { _, element in queue.dispatch(element + 1) })
        queue.dispatch(1)
        #expect(record.all.filter { $0.hasPrefix("body takes") }.count == 4)
        #expect(record.all.last { $0.contains("more") } == "1: more than 3: [2, 3, 4, 5], 1 dropped")
        queue.withExclusiveAccess { queue.close() }
    }

    @Test func `elements of several threads and jobs are taken once, one at a time, each thread's in order`()
    {
        /// Counts by thread, in the drain.
        final class Counts: DrainBody, @unchecked Sendable {
            // @unchecked Sendable: the variables are touched in the drain only.
            var next = [Int](repeating: 0, count: 4)
            var outOfOrder = 0
            var isInside = false
            let isReducing = false
            func noticeDispatchInReducer(_ element: (thread: Int, number: Int)) {}

            func process(_ element: (thread: Int, number: Int)) {
                if isInside || next[element.thread] != element.number { outOfOrder += 1 }
                isInside = true
                next[element.thread] = element.number + 1
                isInside = false
            }
        }
        let queue = DrainQueue<Counts>(
            limits: DrainLimits(chain: 10), hooks: DrainHooks(onCut: { _ in }, onLate: { _ in }))
        let counts = Counts()
        queue.open(counts)
        let jobs = Atomic<Int>(0)
        Threads.run(4) { thread in
            for number in 0..<20_000 {
                queue.dispatch((thread, number))
                if number % 100 == 0 { queue.enqueue { jobs.add(1, ordering: .relaxed) } }
            }
        }
        queue.withExclusiveAccess {
            #expect(counts.next == [20_000, 20_000, 20_000, 20_000])
            #expect(counts.outOfOrder == 0)
        }
        #expect(jobs.load(ordering: .relaxed) == 800)
        queue.withExclusiveAccess { queue.close() }
    }

    @Test func `a body that is closed or replaced by a job of the mail is gone when the caller is back`() {
        let record = Record()
        let queue = queue(record)
        queue.open(Body("old", record))
        queue.enqueue { queue.open(Body("new", record)) }
        #expect(record.all == ["old goes"])
        queue.enqueue { queue.close() }
        #expect(record.all == ["old goes", "new goes"])
        queue.dispatch(1)
        #expect(record.all.last == "too late: 1")
    }

    @Test func `a body that is closed with a right that was lent is gone when that right is given back`() {
        let record = Record()
        let queue = queue(record)
        let (isBusy, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (isHeld, letGo) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        queue.open(
            Body("body", record) { _, element in
                guard element == 1 else { return }
                isBusy.signal()
                goOn.wait()
            })
        let drainer = Threads.start { queue.dispatch(1) }
        isBusy.wait()
        let other = Threads.start {
            queue.withExclusiveAccess { queue.close() }
            record.add("back")
        }
        while queue.mailbox.isEmpty { sched_yield() }
        // The drainer has this to do next, and does nothing else meanwhile.
        queue.enqueue {
            isHeld.signal()
            letGo.wait()
        }
        goOn.signal()
        isHeld.wait()
        other.wait()
        #expect(record.all == ["body takes 1", "body has taken 1", "body goes", "back"])
        letGo.signal()
        drainer.wait()
    }

    @Test func `the rest of a delayed pass finds the body that there is, and is late when there is none`() {
        let record = Record()
        let queue = queue(record)
        queue.open(
            Body("old", record) { body, element in
                guard element == 1 else { return }
                queue.append(delayed: { 7 }, { record.add("the rest of 7") })
                queue.open(Body("new", record))
            })
        queue.dispatch(1)
        #expect(record.all == ["old takes 1", "old has taken 1", "old goes", "the rest of 7"])
        queue.withExclusiveAccess { queue.append(delayed: { 8 }, { record.add("the rest of 8") }) }
        #expect(record.all.last == "the rest of 8")
        queue.withExclusiveAccess {
            queue.append(delayed: { 9 }, { record.add("the rest of 9") })
            queue.close()
        }
        #expect(record.all.suffix(2) == ["new goes", "too late: 9"])
        #expect(queue.activity.lateActions == 1)
    }

    @Test func `the rest of a delayed pass leads to outputs of its input, which are limited together`() {
        let record = Record()
        let queue = queue(record, limits: DrainLimits(chain: 2))
        queue.open(
            Body("body", record) { _, element in
                queue.append(delayed: { element + 10 }, { queue.dispatch(element + 1) })
            })
        queue.dispatch(1)
        #expect(
            record.all.filter { $0.hasPrefix("body takes") || $0.contains("more") } == [
                "body takes 1", "body takes 2", "1: more than 2: [11, 2, 12], 1 dropped",
            ])
        queue.withExclusiveAccess { queue.close() }
    }
}
