// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Gatehouse

@Suite(.timeLimit(.minutes(10)))
struct DispatchLoopTests {
    /// What the hook was told.
    private final class Loops: Sendable {
        let seen = Lock<[DispatchLoop<Int>]>([])
        var hooks: StoreHooks<Int> { StoreHooks(onLoop: { loop in self.seen.withLock { $0.append(loop) } }) }
    }

    /// A store whose middleware answers as the closure says, and counts reductions in its state.
    private func store(
        limit: Int, _ loops: Loops, _ emits: @escaping @Sendable (Int) -> [Int]
    ) -> Store<Int, Int> {
        Store(
            initialState: 0, reducer: .reduce { _, state in state += 1 },
            middleware: Probe(name: "a", trace: Trace(), emits: emits), limits: DrainLimits(chain: limit),
            hooks: loops.hooks)
    }

    @Test(arguments: [1, 2, 5, 31, 32, 33, 100, 1000])
    func `a loop is cut at the limit and the cycle is named`(limit: Int) throws {
        let loops = Loops()
        let store = store(limit: limit, loops) { [($0 + 1) % 3] }
        store.dispatch(0)
        #expect(store.state == limit + 1, "the input and as many outputs as the limit says")
        let loop = try #require(loops.seen.withLock { $0 }.first)
        #expect(loops.seen.withLock { $0.count } == 1)
        #expect(loop.limit == limit)
        let dropped = limit + 1
        let named = (max(dropped - 32, 1)...dropped).map { $0 % 3 }
        #expect(loop.recent.map(\.action) == named)
        #expect(loop.recent.allSatisfy { $0.dispatcher.function == "a" })
    }

    @Test func `the limit is 1000 unless given`() {
        let loops = Loops()
        let store = Store<Int, Int>(
            initialState: 0, reducer: .reduce { _, state in state += 1 },
            middleware: Probe(name: "a", trace: Trace()) { [$0] }, hooks: loops.hooks)
        store.dispatch(0)
        #expect(loops.seen.withLock { $0.map(\.limit) } == [1000])
        #expect(store.state == 1001)
    }

    @Test func `a chain as long as the limit is not cut`() {
        let loops = Loops()
        let store = store(limit: 50, loops) { $0 > 0 ? [$0 - 1] : [] }
        store.dispatch(50)
        #expect(loops.seen.withLock { $0.isEmpty })
        #expect(store.state == 51)
    }

    @Test func `many outputs of one action are not a chain`() {
        let loops = Loops()
        let store = store(limit: 10, loops) { $0 == -1 ? Array(repeating: 0, count: 5000) : [] }
        store.dispatch(-1)
        #expect(loops.seen.withLock { $0.isEmpty })
        #expect(store.state == 5001)
    }

    @Test func `each input starts its own chain`() {
        let loops = Loops()
        let store = store(limit: 3, loops) { $0 > 0 ? [$0 - 1] : [] }
        for _ in 0..<10 { store.dispatch(3) }
        #expect(loops.seen.withLock { $0.isEmpty })
        #expect(store.state == 40)
    }

    @Test func `asynchronous outputs start at 0 and carry no part of the chain they left`() {
        let loops = Loops()
        let own = Weak<Store<Int, Int>>()
        let store = store(limit: 3, loops) { action in
            if action == 8 { own.value.map { store in store.drain.enqueue { store.dispatch(5) } } }
            return [9: [8], 8: [7], 5: [5]][action] ?? []
        }
        own.value = store
        store.dispatch(9)
        #expect(loops.seen.withLock { $0.map { $0.recent.map(\.action) } } == [[5, 5, 5, 5]])
        #expect(store.state == 3 + 4)
    }

    @Test func `the store works on after a loop was cut`() {
        let loops = Loops()
        let store = store(limit: 5, loops) { $0 == 7 ? [7] : [] }
        store.dispatch(7)
        let before = store.state
        store.dispatch(1)
        #expect(store.state == before + 1)
    }

    @Test func `a loop whose outputs are too large says so`() {
        let cut = DrainCut(
            kind: .bytes, limit: 25, input: DispatchedAction(1, dispatcher: .named("input")),
            recent: [DispatchedAction(2, dispatcher: .named("x"))], dropped: 2)
        #expect(
            DispatchLoop(cut).description
                == "dispatch of 1 (input:1): expected at most 25 bytes of outputs, found 2 more, which were dropped: "
                + "2 (x:1); look for the middlewares that answer each other")
    }

    @Test(arguments: [false, true])
    func `a loop is named by its own actions, whatever chain came before`(fromMail: Bool) {
        let loops = Loops()
        let own = Weak<Store<Int, Int>>()
        let store = store(limit: 3, loops) { action in
            if action == 7, fromMail {
                // As another thread leaves it that finds this one at work.
                own.value?.queue.mailbox.post(.element(DispatchedAction(5, dispatcher: .named("x"))))
            }
            return [9: [8], 8: [7], 5: [5]][action] ?? []
        }
        own.value = store
        store.dispatch(9)
        if !fromMail { store.dispatch(5) }
        #expect(loops.seen.withLock { $0.map { $0.recent.map(\.action) } } == [[5, 5, 5, 5]])
    }
}
