// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseHistory

/// What people and programs are told of a trial.
@Suite struct TrialOutcomeTests {
    /// An outcome of two actions in which nothing differs.
    private func outcome(stubbed: Int = 0, isAgainstRecord: Bool = false) -> TrialOutcome {
        var outcome = TrialOutcome(isAgainstRecord: isAgainstRecord)
        outcome.range = 3...9
        outcome.dispatched = 2
        (outcome.recorded, outcome.found) = (1, 1)
        outcome.stubbedEffects = stubbed
        return outcome
    }

    /// The summary of an outcome that says so much of its effects.
    private func summary(_ effects: String) -> String {
        "actions 3 to 9: 2 actions dispatched again; 1 more followed, as many as before\(effects); nothing differs"
    }

    @Test func `an outcome without differences is one line, which tells of effects that were not run`() {
        #expect(outcome().lines == [summary("")])
        #expect(outcome(stubbed: 1).lines == [summary("; 1 effect not run")])
        #expect(outcome(stubbed: 2).lines == [summary("; 2 effects not run")])
        #expect(TrialOutcome(isAgainstRecord: false).lines == ["the journal has no actions there"])
    }

    @Test func `differences stand below what kind they are of, and by type and instance`() {
        var outcome = outcome()
        outcome.counts = [
            TrialPlace(type: "till/taxed", instance: "till"): [.missing: 1],
            TrialPlace(type: "till/thanked", instance: nil): [.added: 1],
        ]
        outcome.differences = [
            TrialDifference(
                kind: .missing, cause: 3, sequence: 4, type: "till/taxed", instance: "till",
                recorded: ["type": "till/taxed", "payload": 12], found: nil),
            TrialDifference(
                kind: .added, cause: 5, sequence: nil, type: "till/thanked", instance: nil,
                recorded: nil, found: ["type": "till/thanked"]),
        ]
        #expect(
            outcome.lines == [
                "actions 3 to 9: 2 actions dispatched again; 1 more followed, as many as before",
                "differences by type and instance:", "  till/taxed by till: 1 missing",
                "  till/thanked: 1 added",
                "1 action missing:", "  till/taxed by till after 3  12",
                "1 action more than before:", "  till/thanked after 5",
            ])
        #expect(!outcome.isSame)
    }

    @Test func `programs get the range, the numbers and the places`() {
        let value = outcome(stubbed: 1, isAgainstRecord: true).value
        #expect(value["from"] == 3 && value["to"] == 9)
        #expect(value["dispatched"] == 2 && value["recorded"] == 1 && value["found"] == 1)
        #expect(value["stubbedEffects"] == 1)
        #expect(value["same"] == true && value["reference"] == "record")
        #expect(value["costs"] == nil && value["effects"] == nil)
        let empty = TrialOutcome(isAgainstRecord: false).value
        #expect(empty["from"] == nil && empty["to"] == nil)
        #expect(empty["reference"] == "plan" && empty["effects"] == [])
    }
}
