// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseHistory

/// When a trial tells that a candidate costs more.
@Suite(.timeLimit(.minutes(10))) struct TrialCostsTests {
    /// The instructions of steps, so many each time.
    private func instructions(_ steps: Int, before: UInt64, now: UInt64) -> TrialCosts.Instructions {
        var counted = TrialCosts.Instructions()
        for _ in 0..<steps { counted.add(before: before, now: now) }
        return counted
    }

    @Test(arguments: [
        (1, 2_000, 2_500, true, false), (1, 2_000, 2_499, false, false),
        (2, 2_000, 2_500, true, true), (2, 1_999, 2_500, true, false),
        // A quarter more, but not 500 of each step.
        (1, 400, 800, false, false), (1, 400, 900, true, false), (3, 400, 899, false, false),
        (3, 400, 900, true, false), (10, 400, 900, true, true), (2, 4_000, 5_000, true, true),
        (2, 4_000, 4_999, false, false), (1, 40_000, 80_000, true, false), (1, 2_000, 2_000, false, false),
    ])
    func `a type is slower by a quarter and 500 instructions of each step, which one step does not decide`(
        steps: Int, before: Int, now: Int, areMore: Bool, isDecided: Bool
    ) {
        let counted = instructions(steps, before: UInt64(before), now: UInt64(now))
        #expect(counted.steps == steps)
        #expect(counted.average == UInt64(before))
        #expect(counted.areMore == areMore && counted.isDecided == isDecided)
        var costs = TrialCosts()
        costs.instructions = ["b": counted, "a": counted, "usual": instructions(1, before: 9, now: 9)]
        // Of one step it is not told.
        #expect(costs.slowTypes == (areMore && steps > 1 ? ["a", "b"] : []))
    }

    @Test func `of one step no more is counted than decides, and of a short one twice as many`() {
        var counted = instructions(1, before: 4_001, now: 1_000_000)
        #expect(counted.now == 5_002)
        // What is done once makes no type slow.
        counted.add(before: 4_001, now: 4_001)
        #expect(!counted.areMore)
        #expect(instructions(1, before: 3_999, now: 1_000_000).now == 8_998)
    }

    @Test(arguments: [
        // 64 KiB and 16 bytes of each step, by 256 steps.
        (256, 0, 69_632, true), (256, 0, 69_631, false), (255, 0, 1_000_000, false),
        // Half as much again.
        (256, 200_000, 300_000, true), (256, 200_000, 299_999, false), (1_000, 0, 81_536, true),
        (1_000, 0, 81_535, false),
    ])
    func `a candidate leaks that keeps more of many steps, and half as much again`(
        steps: Int, before: Int, now: Int, isLeaking: Bool
    ) {
        var costs = TrialCosts()
        (costs.steps, costs.before.kept, costs.now.kept) = (steps, before, now)
        #expect(costs.isLeaking == isLeaking)
    }

    @Test func `costs are written by type in the order of their names`() {
        var costs = TrialCosts()
        costs.instructions = [
            "b": instructions(2, before: 3, now: 4), "a": instructions(1, before: 5, now: 6),
        ]
        (costs.before.kept, costs.now.kept) = (7, 8)
        (costs.before.seconds, costs.now.seconds) = (0.5, 0.25)
        #expect(
            costs.value.json()
                == #"{"instructions":{"a":{"part":"whole","steps":1,"before":5,"now":6},"b":{"part":"whole","steps":2,"before":6,"now":8}},"keptBytes":{"before":7,"now":8},"processorSeconds":{"before":0.5,"now":0.25}}"#
        )
    }
}
