// SPDX-License-Identifier: Apache-2.0

import Dispatch
import GatehouseTesting
import Glibc
import Synchronization
import Testing

@testable import Gatehouse

/// How much may wait in a queue.
@Suite(.timeLimit(.minutes(5)))
struct WaitingLimitTests {
    @Test func `threads that dispatch to a busy queue leave the limit, and one letter more each`() {
        let (limit, threads) = (100, 4)
        let queue = DrainQueue<IntBody>.numbers(DrainLimits(waiting: limit))
        let (isBusy, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let most = Atomic<Int>(0)
        let count = Atomic<Int>(0)
        queue.open(
            IntBody { [unowned queue] element in
                if element < 0 {
                    isBusy.signal()
                    goOn.wait()
                }
                let waiting = queue.mailbox.count.load(ordering: .sequentiallyConsistent)
                most.max(waiting, ordering: .relaxed)
                count.add(1, ordering: .relaxed)
            })
        let drainer = Threads.start { queue.dispatch(-1) }
        isBusy.wait()
        // Each thread sleeps once the mail is full; when all of it is there, the drainer goes on.
        let ends = (0..<threads).map { _ in
            Threads.start { for element in 0..<1000 { queue.dispatch(element) } }
        }
        while queue.mailbox.count.load(ordering: .relaxed) < limit { sched_yield() }
        goOn.signal()
        for end in ends + [drainer] { end.wait() }
        queue.withExclusiveAccess {}
        #expect(count.load(ordering: .relaxed) == threads * 1000 + 1)
        #expect((limit...limit + threads).contains(most.load(ordering: .relaxed)))
        queue.withExclusiveAccess { queue.close() }
    }

    @Test(arguments: [false, true])
    func `a full queue lets others in when half of what may wait is done, and not sooner`(fromMail: Bool) {
        let queue = DrainQueue<IntBody>.numbers(DrainLimits(waiting: 4))
        let full = Lock<[Bool]>([])
        queue.open(
            IntBody { [unowned queue] element in
                if element > 0 {
                    let isFull = queue.isFull
                    return full.withLock { $0.append(isFull) }
                }
                // Three outputs and a letter of somebody else come to the limit as four outputs do.
                if fromMail { queue.mailbox.post(.element(1)) }
                for output in (fromMail ? 2 : 1)...4 { queue.dispatch(output) }
            })
        queue.dispatch(0)
        #expect(full.withLock { $0 } == [true, true, false, false])
        #expect(!queue.isFull)
        queue.withExclusiveAccess { queue.close() }
    }

    @Test func `a queue that has come near its limit and not to it is not full`() {
        let queue = DrainQueue<IntBody>.numbers(DrainLimits(waiting: 4))
        let full = Lock<[Bool]>([])
        queue.open(
            IntBody { [unowned queue] element in
                let isFull = queue.isFull
                full.withLock { $0.append(isFull) }
                if element == 0 { for output in 1...3 { queue.dispatch(output) } }
            })
        queue.dispatch(0)
        #expect(full.withLock { $0 } == [false, false, false, false])
        queue.withExclusiveAccess { queue.close() }
    }

    @Test func `a queue without a limit takes whatever comes`() {
        let queue = DrainQueue<IntBody>.numbers(DrainLimits())
        let (isBusy, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let count = Atomic<Int>(0)
        queue.open(
            IntBody { element in
                if element < 0 {
                    isBusy.signal()
                    goOn.wait()
                }
                count.add(1, ordering: .relaxed)
            })
        let drainer = Threads.start { queue.dispatch(-1) }
        isBusy.wait()
        for element in 0..<200_000 { queue.dispatch(element) }
        goOn.signal()
        drainer.wait()
        queue.withExclusiveAccess { queue.close() }
        #expect(count.load(ordering: .relaxed) == 200_001)
    }

    @Test
    func `a thread that drains another queue never sleeps for room, so two full queues feed each other`() {
        let limits = DrainLimits(waiting: 1)
        let (left, right) = (DrainQueue<IntBody>.numbers(limits), DrainQueue<IntBody>.numbers(limits))
        let count = Atomic<Int>(0)
        // Each element of one queue becomes two of the other, from inside its pass.
        left.open(
            IntBody { [unowned right] element in
                count.add(1, ordering: .relaxed)
                if element > 0 { for _ in 0..<2 { right.dispatch(element - 1) } }
            })
        right.open(
            IntBody { [unowned left] element in
                count.add(1, ordering: .relaxed)
                if element > 0 { for _ in 0..<2 { left.dispatch(element - 1) } }
            })
        Threads.run(2) { index in for _ in 0..<50 { (index == 0 ? left : right).dispatch(6) } }
        for _ in 0..<50 {
            left.withExclusiveAccess {}
            right.withExclusiveAccess {}
        }
        #expect(count.load(ordering: .relaxed) == 100 * 127)
        for queue in [left, right] { queue.withExclusiveAccess { queue.close() } }
    }

    @Test(arguments: [true, false])
    func `as many effects as the pool has threads emit far more than may wait, and the run ends`(
        suspends: Bool
    )
        async
    {
        let threads = 2
        let ended = Signal()
        let store = Store<Int, Int>(
            initialState: 0, reducer: .reduce { action, count in if action > 0 { count += 1 } },
            middleware: EffectMiddleware<Int, Int, Int, Void>.onAction { action, _, _ in
                guard action == 0 else { return .doNothing }
                return .run { output in
                    for number in 1...10_000 {
                        if suspends { await output.emit(number) } else { output.send(number) }
                    }
                }
            }, limits: DrainLimits(waiting: 1000))
        store.activity.onIdle { ended.fire() }
        for _ in 0..<threads { store.dispatch(0) }
        await ended.wait()
        #expect(store.state == 20_000)
    }

    @Test func `an asynchronous sequence that is emitted waits for a full queue`() async {
        let (isBusy, goOn, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Signal())
        let pulled = Atomic<Int>(0)
        let store = Store<Int, Int>(
            initialState: 0,
            reducer: .reduce { action, count in
                count += 1
                if action == -1 {
                    isBusy.signal()
                    goOn.wait()
                }
            },
            middleware: EffectMiddleware<Int, Int, Int, Void>.onAction { action, _, _ in
                action == 0
                    ? Numbers(count: 5000, pulled: { pulled.add(1, ordering: .relaxed) }).asEffect()
                    : .doNothing
            }, limits: DrainLimits(waiting: 10))
        store.activity.onIdle { ended.fire() }
        let drainer = Threads.start {
            store.drain.enqueue {
                store.dispatch(0)
                store.dispatch(-1)
            }
        }
        isBusy.wait()
        // The busy store holds the sequence back: it comes to the limit and no further.
        while pulled.load(ordering: .relaxed) < 10 { await Task.yield() }
        // Counted in yields, this takes minutes where the threads of tasks are busy with other tests.
        let end = ContinuousClock.now.advanced(by: .milliseconds(50))
        while ContinuousClock.now < end { await Task.yield() }
        #expect(pulled.load(ordering: .relaxed) <= 12)
        goOn.signal()
        drainer.wait()
        await ended.wait()
        #expect(store.state == 5002)
    }

    @Test func `a task that emits into a full queue leaves its thread to others until there is room`() {
        let (isBusy, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let executor = TestExecutor()
        let store = Store<Int, [Int]>(
            initialState: [],
            reducer: .reduce { action, state in
                state.append(action)
                guard action == 2 else { return }
                isBusy.signal()
                goOn.wait()
            },
            middleware: EffectMiddleware<Int, Int, [Int], Void>.onAction { action, _, _ in
                action == 1 ? .run { await $0.emit(4) } : .doNothing
            }, limits: DrainLimits(waiting: 1), effects: .preferring(executor))
        store.dispatch(1)
        let drainer = Threads.start { store.dispatch(2) }
        isBusy.wait()
        store.dispatch(3)
        // The task comes back from where it waits; a thread that slept for room would not.
        let ran = Threads.start { executor.runAll() }
        #expect(ran.wait(timeout: .now() + 20) == .success)
        #expect(store.queue.mailbox.count.load(ordering: .relaxed) == 1)
        goOn.signal()
        drainer.wait()
        executor.runAll()
        #expect(store.state == [1, 2, 3, 4])
    }

    @Test(arguments: [1, 2])
    func `a thread that hands over to a full queue by an erased handler sleeps until there is room`(
        count: Int
    ) {
        let (isBusy, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let store = Store<Int, [Int]>(
            initialState: [],
            reducer: .reduce { action, state in
                state.append(action)
                guard action == 1 else { return }
                isBusy.signal()
                goOn.wait()
            }, middleware: IdentityMiddleware<Int, Int, [Int]>(), limits: DrainLimits(waiting: 1))
        let drainer = Threads.start { store.dispatch(1) }
        isBusy.wait()
        store.dispatch(2)
        let handler = store.eraseToAnyActionHandler()
        let actions = (0..<count).map { DispatchedAction(3 + $0, dispatcher: .named("x")) }
        let other = Threads.start {
            if count == 1 { handler.dispatch(actions[0]) } else { handler.dispatch(actions) }
        }
        // A thread that did not sleep would be back long before.
        #expect(other.wait(timeout: .now() + .milliseconds(100)) == .timedOut)
        #expect(store.queue.mailbox.count.load(ordering: .relaxed) == 1)
        goOn.signal()
        other.wait()
        drainer.wait()
        #expect(store.state == [1, 2] + actions.map(\.action))
    }

    /// A sequence that tells when it is asked.
    private struct Numbers: AsyncSequence, Sendable {
        let count: Int
        let pulled: @Sendable () -> Void

        struct AsyncIterator: AsyncIteratorProtocol {
            var left: Int
            let pulled: @Sendable () -> Void

            mutating func next() async -> Int? {
                guard left > 0 else { return nil }
                left -= 1
                pulled()
                return 1
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(left: count, pulled: pulled) }
    }

    @Test func `a queue is full from the first letter on that may not wait beside the others`() {
        let queue = DrainQueue<IntBody>.numbers(DrainLimits(waiting: 3))
        let (isBusy, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        queue.open(
            IntBody { element in
                guard element < 0 else { return }
                isBusy.signal()
                goOn.wait()
            })
        let drainer = Threads.start { queue.dispatch(-1) }
        isBusy.wait()
        for _ in 0..<2 { queue.dispatch(0) }
        #expect(!queue.isFull)
        queue.leaveJob {}
        #expect(queue.isFull)
        goOn.signal()
        drainer.wait()
        #expect(!queue.isFull)
        queue.withExclusiveAccess { queue.close() }
    }
}
