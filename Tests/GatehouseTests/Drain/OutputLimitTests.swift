// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Gatehouse

/// How much one input may lead to.
@Suite(.timeLimit(.minutes(5)))
struct OutputLimitTests {
    /// What a queue has processed and told.
    private final class Record: Sendable {
        let taken = Lock<[Int]>([])
        let cuts = Lock<[DrainCut<Int>]>([])

        /// How many elements were processed.
        var count: Int { taken.withLock { $0.count } }
        /// The cuts that were told so far.
        var told: [DrainCut<Int>] { cuts.withLock { $0 } }
    }

    /// A queue that answers an element as the closure says.
    private func queue(
        _ limits: DrainLimits, _ record: Record, _ answers: @escaping @Sendable (Int) -> [Int]
    ) -> DrainQueue<IntBody> {
        let queue = DrainQueue<IntBody>.numbers(
            limits, onCut: { cut in record.cuts.withLock { $0.append(cut) } })
        queue.open(
            IntBody { [unowned queue] element in
                record.taken.withLock { $0.append(element) }
                for answer in answers(element) { queue.dispatch(answer) }
            })
        return queue
    }

    @Test(arguments: [1, 2, 31, 32, 33, 500])
    func `outputs that double with each answer are cut at the limit on their number`(limit: Int) throws {
        let record = Record()
        let queue = queue(DrainLimits(actions: limit), record) { [$0 * 2, $0 * 2 + 1] }
        queue.dispatch(1)
        #expect(record.count == limit + 1, "the input and as many outputs as the limit says")
        #expect(record.told.count == 1)
        let cut = try #require(record.told.first)
        #expect(cut.kind == .actions)
        #expect(cut.limit == limit)
        #expect(cut.input == 1)
        #expect(cut.dropped == 2 * (limit + 1) - limit)
        // The tree counts its nodes level by level, so the number of an output is its place.
        #expect(cut.recent == Array(max(limit - 30, 2)...limit + 2))
        #expect(queue.withExclusiveAccess { queue.cuts.inputs } == 1)
        #expect(queue.withExclusiveAccess { queue.cuts.dropped } == cut.dropped)
    }

    @Test func `as many outputs as the limit says are not cut`() {
        let record = Record()
        let queue = queue(DrainLimits(actions: 50), record) { $0 == 0 ? Array(1...50) : [] }
        for _ in 0..<20 { queue.dispatch(0) }
        #expect(record.told.isEmpty)
        #expect(record.count == 20 * 51)
    }

    @Test func `each input begins anew, also one that comes right after a cut one`() {
        let record = Record()
        let queue = queue(DrainLimits(actions: 10), record) { $0 < 5 ? [$0, $0] : [] }
        for input in [1, 7, 2, 7] { queue.dispatch(input) }
        #expect(record.told.map(\.input) == [1, 2])
        #expect(record.told.map(\.dropped) == [12, 12])
        #expect(record.told.map { $0.recent.count } == [11, 11])
        #expect(record.count == 2 * 11 + 2)
    }

    @Test func `an input that passes both limits is told once, by the first`() {
        let record = Record()
        let queue = queue(DrainLimits(chain: 3, actions: 10), record) { [$0 + 1, $0 + 1] }
        queue.dispatch(0)
        #expect(record.told.map(\.kind) == [.actions])
        let other = self.queue(DrainLimits(chain: 2, actions: 20), record) { [$0 + 1, $0 + 1, $0 + 1] }
        other.dispatch(0)
        #expect(record.told.map(\.kind) == [.actions, .chain])
        #expect(record.told.last?.recent == [1, 2, 3])
        #expect(record.told.last?.dropped == 27)
    }

    @Test func `what is left of a cut input is processed before it is told`() {
        let record = Record()
        let queue = DrainQueue<IntBody>.numbers(
            DrainLimits(actions: 3),
            onCut: { cut in record.taken.withLock { $0.append(-cut.dropped) } })
        queue.open(
            IntBody { [unowned queue] element in
                record.taken.withLock { $0.append(element) }
                if element == 0 { for answer in 1...5 { queue.dispatch(answer) } }
            })
        queue.dispatch(0)
        #expect(record.taken.withLock { $0 } == [0, 1, 2, 3, -2])
    }

    @Test func `what the hook dispatches is an input of its own`() {
        let record = Record()
        let own = Weak<DrainQueue<IntBody>>()
        let queue = DrainQueue<IntBody>.numbers(
            DrainLimits(actions: 2), onCut: { cut in own.value?.dispatch(cut.input + 100) })
        own.value = queue
        queue.open(
            IntBody { [unowned queue] element in
                record.taken.withLock { $0.append(element) }
                if element == 0 { for _ in 0..<3 { queue.dispatch(9) } }
            })
        queue.dispatch(0)
        #expect(record.taken.withLock { $0 } == [0, 9, 9, 100])
    }

    @Test func `work left for later begins anew`() {
        let record = Record()
        let own = Weak<DrainQueue<IntBody>>()
        let queue = queue(DrainLimits(actions: 2), record) { element in
            if element == 3 { own.value.map { queue in queue.enqueue { queue.dispatch(4) } } }
            return [0: [1, 2], 1: [], 2: [], 3: [5, 6], 4: [7, 8]][element] ?? []
        }
        own.value = queue
        for input in [0, 3] { queue.dispatch(input) }
        #expect(record.told.isEmpty)
        #expect(record.taken.withLock { $0 } == [0, 1, 2, 3, 4, 5, 6, 7, 8])
    }

    @Test func `an input whose outputs come too late is settled, and the next one counts for itself`() {
        let record = Record()
        let queue = queue(DrainLimits(actions: 4), record) { $0 == 0 ? [1, 1, 1, 1, 1] : [] }
        queue.enqueue { [queue] in
            queue.dispatch(0)
            queue.enqueue { queue.close() }
        }
        #expect(record.told.map(\.dropped) == [1])
        #expect(queue.withExclusiveAccess { queue.isOwed } == false)
        #expect(queue.activity.lateActions + record.count == 5)
    }

    @Test func `a store says which action led to too much, and a reader of the message what to do`() throws {
        let told = Lock<[String]>([])
        let store = Store<Int, Int>(
            initialState: 0, reducer: .identity,
            middleware: Probe(name: "a", trace: Trace()) { [$0 + 1, $0 + 1] },
            limits: DrainLimits(actions: 2),
            hooks: StoreHooks(onLoop: { loop in told.withLock { $0.append(loop.description) } }))
        store.dispatch(1, from: .named("input"))
        #expect(
            told.withLock { $0 } == [
                "dispatch of 1 (input:1): expected at most 2 outputs, found 4 more, which were dropped: 2 (probe:1), 2 (probe:1), "
                    + "3 (probe:1); look for the middlewares that answer each other"
            ])
    }

    @Test(arguments: [33, 40, 100])
    func `of a long chain the last outputs are remembered, and as many as there is room for`(limit: Int) {
        let record = Record()
        let queue = queue(DrainLimits(chain: limit), record) { [$0 + 1] }
        queue.dispatch(0)
        #expect(record.told.map(\.kind) == [.chain])
        #expect(record.told.first?.recent == Array(limit - 31...limit + 1))
        #expect(record.count == limit + 1)
    }

    @Test func `a chain that ends at its limit is not cut, and nothing of it is told of the next one`() {
        let record = Record()
        let queue = queue(DrainLimits(chain: 3), record) { $0 == 4 ? [] : [$0 + 1] }
        queue.dispatch(1)
        #expect(record.told.isEmpty)
        #expect(record.taken.withLock { $0 } == [1, 2, 3, 4])
        queue.dispatch(11)
        #expect(record.told.map(\.input) == [11])
        #expect(record.told.first?.recent == [12, 13, 14, 15])
        #expect(record.told.first?.dropped == 1)
    }

    @Test func `chains of two inputs that come in turn are told apart`() {
        let record = Record()
        let own = Weak<DrainQueue<IntBody>>()
        let queue = queue(DrainLimits(chain: 40), record) { element in
            // Another thread leaves an input when this chain is long enough to be remembered.
            if element == 20 { own.value?.mailbox.post(.element(1_000)) }
            return [element + 1]
        }
        own.value = queue
        queue.dispatch(0)
        #expect(record.told.map(\.input) == [0, 1_000])
        #expect(record.told.map(\.recent) == [Array(9...41), Array(1_009...1_041)])
        #expect(queue.withExclusiveAccess { queue.cuts.inputs } == 2)
        #expect(queue.withExclusiveAccess { queue.cuts.dropped } == 2)
    }

    @Test func `an output is measured up to the room that is left, and one byte more`() {
        let sizes = Lock<[Int]>([])
        let queue = DrainQueue<IntBody>.numbers(DrainLimits(bytes: 25))
        queue.open(
            IntBody { [unowned queue] element in
                guard element == 0 else { return }
                for output in [10, 15, 1] {
                    let takes = queue.takes({ output }) { room in
                        sizes.withLock { $0.append(room) }
                        return output
                    }
                    if takes { queue.dispatch(output) }
                }
            })
        for _ in 0..<2 { queue.dispatch(0) }
        #expect(sizes.withLock { $0 } == [26, 16, 1, 26, 16, 1])
        #expect(queue.withExclusiveAccess { queue.cuts.inputs } == 2)
    }
}
