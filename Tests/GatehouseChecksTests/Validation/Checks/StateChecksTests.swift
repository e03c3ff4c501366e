// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseChecks

/// What checks of the state do with a plugin that is sound.
@Suite(.timeLimit(.minutes(10))) struct StateChecksTests {
    /// Actions that a plugin counts, each with another amount.
    private func acts(_ count: Int) -> [ExampleAction] {
        (1...count).map { ExampleAction("act", payload: ["amount": .integer(Int64($0)), "label": "x"]) }
    }

    @Test func `the first state and that after all actions are read back, each told before`() throws {
        let observed = try ObservedSubject("DefectivePlugin", examples: acts(2))
        #expect(try observed.perform("state/round-trip") == .pass)
        #expect(
            try observed.steps.filter { $0.hasSuffix("was read") } == [
                "while the state {\"count\":0,\"token\":0} was read",
                "while the state {\"count\":2,\"token\":0} was read",
            ])
    }

    @Test
    func `odd values are put into the state that actions have led to, and 20 actions are tried on each`()
        throws
    {
        let observed = try ObservedSubject("DefectivePlugin", examples: acts(21))
        #expect(try observed.perform("state/odd-values") == .pass)
        let steps = try observed.steps
        #expect(steps.contains("while the state {\"count\":21,\"token\":null} was read"))
        #expect(steps.contains("while the state {\"count\":null,\"token\":0} was read"))
        // One of the first: the check tries no more actions after five seconds.
        let heard = steps.filter { $0 == "when it heard act with the state {\"count\":1,\"token\":0}" }
        #expect(heard.count == 20)
    }

    @Test func `a state is reduced again from the first one by all actions that came`() throws {
        let observed = try ObservedSubject("DefectivePlugin", examples: acts(2))
        #expect(try observed.perform("state/replay") == .pass)
        #expect(
            try observed.steps.filter { $0.hasSuffix("again") } == [
                "when its reducer was given act again", "when its reducer was given act again",
            ])
    }

    @Test func `where there are no earlier versions nothing is migrated`() throws {
        let observed = try ObservedSubject("DefectivePlugin", examples: acts(1))
        #expect(
            try observed.perform("state/migrate") == .skip("there are no earlier versions of its state"))
    }
}
