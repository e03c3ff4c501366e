// SPDX-License-Identifier: Apache-2.0

import GatehousePlanTesting
import Testing

@testable import GatehouseMember

/// The thread that makes instances for partitions that are to come.
@Suite(.timeLimit(.minutes(1))) struct PartitionPreparerTests {
    /// What the thread tells.
    private let made: AsyncStream<Int>
    private let preparer: PartitionPreparer

    init() {
        let (made, tell) = AsyncStream<Int>.makeStream()
        self.made = made
        let maker = PartitionMaker.example(of: PlanExample.plan([]), in: MemoryCluster()) {
            Issue.record("\($0)")
        }
        preparer = PartitionPreparer {
            maker.prepare($0) {}
        } tell: {
            tell.yield($0)
        }
    }

    @Test func `it makes what is ordered in order, and nothing that was taken back before its turn`()
        async throws
    {
        for number in [2, 3, 4] { preparer.prepare(number) }
        preparer.discard([3])
        preparer.prepare(5)
        try #require(preparer.start())
        var told: [Int] = []
        for await number in made {
            told.append(number)
            if number == 5 { break }
        }
        #expect(told == [2, 4, 5])
        #expect(preparer.take(3)?.number == nil)
        #expect(preparer.take(4)?.number == 4)
        #expect(preparer.take(4)?.number == nil, "a partition takes its instances once")
        preparer.end()
    }

    @Test func `what is made for partitions that do not come is dropped`() async throws {
        preparer.prepare(2)
        try #require(preparer.start())
        for await _ in made { break }
        preparer.discard([2])
        preparer.prepare(6)
        for await _ in made { break }
        #expect(preparer.take(2)?.number == nil)
        preparer.end()
    }
}
