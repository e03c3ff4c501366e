// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPPlugin

/// How many bytes of bodies may wait.
@Suite(.timeLimit(.minutes(10))) struct BodyBudgetTests {
    @Test func `one place may have half of it, and the others the rest`() {
        let budget = BodyBudget(100)
        #expect(budget.take(50, for: "a"))
        #expect(!budget.take(1, for: "a"))
        #expect(budget.take(30, for: "b"))
        #expect(!budget.take(21, for: "c"))
        #expect(budget.take(20, for: "c"))
        budget.giveBack(50, for: "a")
        #expect(budget.take(50, for: "a"))
    }

    @Test func `to the byte all and half are taken, and what is given back is there again`() {
        let budget = BodyBudget(10)
        #expect(budget.most == 10)
        #expect(!budget.take(6, for: "a"))
        #expect(budget.take(5, for: "a"))
        #expect(budget.take(0, for: "a"))
        #expect(budget.take(4, for: "b"))
        #expect(!budget.take(2, for: "b"))
        #expect(!budget.take(2, for: "c"))
        #expect(budget.take(1, for: "c"))
        #expect(!budget.take(1, for: "d"))
        #expect(budget.take(0, for: "d"))
        budget.giveBack(2, for: "a")
        #expect(!budget.take(3, for: "a"))
        #expect(!budget.take(3, for: "d"))
        #expect(budget.take(2, for: "a"))
        budget.giveBack(5, for: "a")
        budget.giveBack(4, for: "b")
        budget.giveBack(1, for: "c")
        for place in ["a", "b"] { #expect(budget.take(5, for: place)) }
    }
}
