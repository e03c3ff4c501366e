// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization
import Testing

@testable import Gatehouse

/// Stores that read each other's state while each is at work.
@Suite(.timeLimit(.minutes(5)))
struct CircularReadTests {
    /// Lets several threads go on once all have come.
    private final class Barrier: Sendable {
        private let missing: Lock<Int>
        private let everybody = DispatchSemaphore(value: 0)
        private let count: Int

        init(_ count: Int) {
            self.count = count
            missing = Lock(count)
        }

        func pass() {
            let isLast = missing.withLock { missing in
                missing -= 1
                return missing == 0
            }
            if isLast { for _ in 0..<count { everybody.signal() } }
            everybody.wait()
        }
    }

    /// A store of strings that tells about misuse.
    private func store(_ told: Trace) -> Store<String, String> {
        Store(
            initialState: "", reducer: .reduce { action, state in state = action },
            middleware: IdentityMiddleware<String, String, String>(),
            hooks: StoreHooks(onMisuse: { told.add("\($0)") }))
    }

    @Test(arguments: [2, 3, 5])
    func `observers that read round in a circle end, and one sentence names the stores`(count: Int) {
        let told = Trace()
        let stores = (0..<count).map { _ in store(told) }
        let barrier = Barrier(count)
        let read = Lock<[String]>([])
        let subscriptions = stores.indices.map { index in
            stores[index].observe { [next = stores[(index + 1) % count]] _ in
                // All of them are in their observers before the first one reads.
                barrier.pass()
                let state = next.state
                read.withLock { $0.append(state) }
            }
        }
        Threads.run(count) { index in stores[index].dispatch("new \(index)") }
        for store in stores { store.withState { _ in } }
        #expect(read.withLock { $0.sorted() } == stores.indices.map { "new \($0)" })
        let name = "Store<String, String>"
        let names = Array(repeating: name, count: count).joined(separator: " and ")
        #expect(
            told.lines == [
                "\(names): expected stores not to read each other's state inside an action, found that each waits for "
                    + "the other; \(name) was read as it was in the middle of its action, so let one of them send its state "
                    + "in an action instead"
            ])
        withExtendedLifetime(subscriptions) {}
    }

    @Test func `what is dispatched while a state is read in a circle is queued behind the action in hand`() {
        let told = Trace()
        let (left, right) = (store(told), store(told))
        let barrier = Barrier(2)
        let inside = Lock<[String]>([])
        let note = { @Sendable (line: String) in inside.withLock { $0.append(line) } }
        let subscriptions = [
            left.observe { [right] state in
                guard state == "1" else { return note("left \(state)") }
                barrier.pass()
                right.withState { _ in left.dispatch("2") }
                note("left done")
            },
            right.observe { [left] state in
                guard state == "1" else { return note("right \(state)") }
                barrier.pass()
                left.withState { _ in right.dispatch("2") }
                note("right done")
            },
        ]
        Threads.run(2) { index in (index == 0 ? left : right).dispatch("1") }
        for store in [left, right] { store.withState { _ in } }
        let lines = inside.withLock { $0 }
        #expect(lines.sorted() == ["left 2", "left done", "right 2", "right done"])
        for side in ["left", "right"] {
            #expect(lines.firstIndex(of: "\(side) done")! < lines.firstIndex(of: "\(side) 2")!)
        }
        withExtendedLifetime(subscriptions) {}
    }

    @Test func `a circle that closes again and again is told once for each store`() {
        let told = Trace()
        let (left, right) = (store(told), store(told))
        let barrier = Lock(Barrier(2))
        let meet = { @Sendable in barrier.withLock { $0 }.pass() }
        let subscriptions = [
            left.observe { [right] _ in
                meet()
                right.withState { _ in }
            },
            right.observe { [left] _ in
                meet()
                left.withState { _ in }
            },
        ]
        for round in 0..<50 {
            barrier.withLock { $0 = Barrier(2) }
            Threads.run(2) { index in (index == 0 ? left : right).dispatch("\(round)") }
        }
        for store in [left, right] { store.withState { _ in } }
        #expect((1...2).contains(told.lines.count))
        withExtendedLifetime(subscriptions) {}
    }

    @Test func `a thread that waits for a store which waits for nothing of its own simply waits`() {
        let told = Trace()
        let (left, right) = (store(told), store(told))
        let (isInside, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let subscription = left.observe { state in
            guard state == "1" else { return }
            isInside.signal()
            goOn.wait()
        }
        let drainer = Threads.start { left.dispatch("1") }
        isInside.wait()
        let read = Lock<String>("")
        let reader = Threads.start { right.drain.enqueue { read.withLock { $0 = left.state } } }
        left.dispatch("2")
        goOn.signal()
        drainer.wait()
        reader.wait()
        #expect(["1", "2"].contains(read.withLock { $0 }))
        #expect(told.lines == [])
        withExtendedLifetime(subscription) {}
    }

    @Test func `whoever has lent its drain and got it back waits for nobody any more`() {
        let told = Trace()
        let (left, right) = (store(told), store(told))
        let (isInside, isBusy, goOn) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        // The reader gets its turn, and then wants, inside its own store, what the lender has gone on with.
        let reader = Threads.start {
            isInside.wait()
            left.withState { _ in }
            isBusy.wait()
            right.drain.enqueue {
                goOn.signal()
                left.withState { _ in }
            }
        }
        left.drain.enqueue {
            isInside.signal()
            while (left.drain as? DrainQueue<StoreBody<String, String>>)?.mailbox.isEmpty == true {
                sched_yield()
            }
            left.drain.enqueue {
                isBusy.signal()
                goOn.wait()
            }
        }
        reader.wait()
        #expect(told.lines == [], "it waited for its turn")
    }

    @Test func `a drain that is lent may be part of a circle`() {
        let told = Trace()
        let (left, right) = (store(told), store(told))
        let (isInside, isQueued) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // The drainer of both lends the left one to a reader, which then wants the right one.
        let reader = Threads.start {
            isInside.wait()
            left.withState { _ in
                isQueued.signal()
                right.withState { _ in told.add("read") }
            }
        }
        right.drain.enqueue {
            left.drain.enqueue {
                isInside.signal()
                // The offer of the reader is in the queue before this pass of the left one ends.
                while (left.drain as? DrainQueue<StoreBody<String, String>>)?.mailbox.isEmpty == true {
                    sched_yield()
                }
            }
        }
        reader.wait()
        isQueued.wait()
        for store in [left, right] { store.withState { _ in } }
        #expect(told.lines.first == "read")
        #expect(told.lines.count == 2)
    }
}
