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
}
