// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization
import Testing

@testable import Gatehouse

@Suite(.timeLimit(.minutes(5)))
struct StoreThreadsTests {
    /// One action of one thread.
    private struct Numbered: Sendable, Equatable {
        var thread: Int
        var number: Int
    }

    @Test func `dispatch from many threads loses nothing, runs one at a time and keeps each thread's order`()
    {
        let inside = Atomic<Int>(0)
        let overlaps = Atomic<Int>(0)
        let middleware = AnyMiddleware<Numbered, Numbered, [Numbered]> { action, source, _ in
            if inside.add(1, ordering: .relaxed).newValue != 1 { overlaps.add(1, ordering: .relaxed) }
            return IO { output in
                if action.number % 10 == 0, action.thread < 100 {
                    output.dispatch(
                        Numbered(thread: action.thread + 100, number: action.number), from: source)
                }
                inside.subtract(1, ordering: .relaxed)
            }
        }
        let store = Store<Numbered, [Numbered]>(
            initialState: [], reducer: .reduce { $1.append($0) }, middleware: middleware)
        Threads.run(8) { thread in
            for number in 0..<2000 { store.dispatch(Numbered(thread: thread, number: number)) }
        }
        // Nobody drains for all of them: what the last of them left may be in the hands of a thread of the store.
        let isDone = DispatchSemaphore(value: 0)
        store.drain.enqueueAtRest { isDone.signal() }
        isDone.wait()
        let all = store.state
        #expect(overlaps.load(ordering: .relaxed) == 0)
        #expect(all.count == 8 * 2000 + 8 * 200)
        for thread in 0..<8 {
            #expect(all.filter { $0.thread == thread }.map(\.number) == Array(0..<2000))
            #expect(
                all.filter { $0.thread == thread + 100 }.map(\.number)
                    == Array(stride(from: 0, to: 2000, by: 10)))
        }
    }

    @Test
    func
        `a thread's second dispatch does not overtake its first, left behind as another thread stopped draining`()
    {
        let store = Store<Int, [Int]>(initialState: [], reducer: .reduce { $1.append($0) })
        let other = StoreThread.current &+ 1
        #expect(store.drain.enter(other))
        store.dispatch(1)
        store.drain.leave()
        store.dispatch(2)
        #expect(store.state == [1, 2])
    }

    @Test func `reading the state sees what this thread dispatched before`() {
        let store = Store<Int, [Int]>(initialState: [], reducer: .reduce { $1.append($0) })
        #expect(store.drain.enter(StoreThread.current &+ 1))
        store.dispatch(1)
        store.drain.leave()
        #expect(store.state == [1])
    }

    @Test func `what a job dispatches takes the job's place in the queue`() {
        let store = Store<Int, [Int]>(
            initialState: [], reducer: .reduce { $1.append($0) },
            middleware: Probe(name: "a", trace: Trace()) { $0 < 10 ? [$0 + 10] : [] }.lift(state: { $0.count }
            ))
        #expect(store.drain.enter(StoreThread.current &+ 1))
        store.dispatch(1)
        store.drain.enqueue {
            store.dispatch(2)
            store.dispatch(3)
        }
        store.dispatch(4)
        store.drain.leave()
        store.drain.drainIfIdle()
        #expect(store.state == [1, 2, 3, 4, 11, 12, 13, 14])
    }

    @Test func `states read from many threads are whole and never go back`() {
        let store = Store<Int, (Int, Int)>(
            initialState: (0, 0),
            reducer: .reduce { action, state in
                state.0 += action
                state.1 -= action
            })
        let torn = Atomic<Int>(0)
        let backwards = Atomic<Int>(0)
        Threads.run(6) { thread in
            var last = 0
            for _ in 0..<1000 {
                if thread < 3 { store.dispatch(1) }
                let (up, down) = store.withState { $0 }
                if up != -down { torn.add(1, ordering: .relaxed) }
                if up < last { backwards.add(1, ordering: .relaxed) }
                last = up
            }
        }
        #expect(torn.load(ordering: .relaxed) == 0)
        #expect(backwards.load(ordering: .relaxed) == 0)
        #expect(store.withState { $0.0 } == 3000)
    }

    @Test func `a reader waiting for a busy store sleeps, and is let in between two actions`() {
        let entered = DispatchSemaphore(value: 0)
        let readerIsReady = DispatchSemaphore(value: 0)
        let store = Store<Int, Int>(
            initialState: 0, reducer: .adding,
            middleware: AnyMiddleware { action, _, _ in
                if action == 1 {
                    entered.signal()
                    readerIsReady.wait()
                    let end = Self.clock(CLOCK_MONOTONIC) + 0.3
                    while Self.clock(CLOCK_MONOTONIC) < end {}
                }
                return .pure()
            })
        let draining = Threads.start { store.dispatch(1) }
        entered.wait()
        let burnt = Atomic<Int>(0)
        let seen = Atomic<Int>(0)
        let reading = Threads.start {
            let before = Self.clock(CLOCK_THREAD_CPUTIME_ID)
            readerIsReady.signal()
            seen.store(store.state, ordering: .relaxed)
            burnt.store(Int((Self.clock(CLOCK_THREAD_CPUTIME_ID) - before) * 1000), ordering: .relaxed)
        }
        reading.wait()
        draining.wait()
        #expect(seen.load(ordering: .relaxed) == 1)
        #expect(burnt.load(ordering: .relaxed) < 30, "milliseconds of processor time spent waiting")
    }

    @Test func `what a reader dispatches while it is let in is run by the thread that drains`() {
        let entered = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        let store = Store<Int, [Int]>(
            initialState: [], reducer: .reduce { $1.append($0) },
            middleware: AnyMiddleware { action, _, _ in
                if action == 1 {
                    entered.signal()
                    goOn.wait()
                }
                return .pure()
            })
        let draining = Threads.start { store.dispatch(1) }
        entered.wait()
        let reading = Threads.start {
            store.dispatch(2)
            goOn.signal()
            store.withState { state in
                store.dispatch(state.count + 10)
                store.dispatch(100)
            }
        }
        reading.wait()
        draining.wait()
        #expect(store.state == [1, 2, 12, 100])
    }

    @Test func `reading in the drain gives the state as it is`() {
        let own = Weak<Store<Int, Int>>()
        let trace = Trace()
        let store = Store<Int, Int>(
            initialState: 0, reducer: .adding,
            middleware: AnyMiddleware { action, _, _ in
                trace.add("before \(own.value?.state ?? -1)")
                return IO { _ in trace.add("after \(own.value?.state ?? -1)") }
            })
        own.value = store
        store.dispatch(4)
        #expect(trace.lines == ["before 0", "after 4"])
    }

    @Test func `two stores may dispatch to each other from several threads`() {
        let left = Store<Int, Int>(initialState: 0, reducer: .adding)
        let right = Store<Int, Int>(initialState: 0, reducer: .adding)
        let first = left.observe(.always) { _ in right.dispatch(1) }
        Threads.run(4) { _ in for _ in 0..<500 { left.dispatch(1) } }
        #expect(left.state == 2000)
        #expect(right.state == 2000)
        first.cancel()
    }

    /// A clock in seconds.
    private static func clock(_ id: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(id, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
