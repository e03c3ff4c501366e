// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseHistory

/// How the consequences of an action on both sides are matched.
@Suite struct TrialMismatchTests {
    /// The mismatches between two rows of actions, each a letter for its type and a digit for its content.
    private func mismatches(_ before: [String], _ now: [String]) -> [String] {
        TrialMismatch.between(
            before.indices, now.indices, typeBefore: { before[$0].prefix(1) },
            typeNow: { now[$0].prefix(1) }, areSame: { before[$0] == now[$1] }
        ).map { one in
            "\(one.kind) \(one.before.map { before[$0] } ?? "-") \(one.now.map { now[$0] } ?? "-")"
        }
    }

    @Test func `what is the same is no mismatch`() {
        #expect(mismatches([], []) == [])
        #expect(mismatches(["a1", "b1"], ["a1", "b1"]) == [])
    }

    @Test func `actions of one type are matched in their order`() {
        #expect(mismatches(["a1"], ["a2"]) == ["changed a1 a2"])
        #expect(
            mismatches(["a1", "b1", "a2"], ["a3", "b1", "a4"]) == ["changed a1 a3", "changed a2 a4"])
    }

    @Test func `one without a counterpart is missing or added`() {
        #expect(mismatches(["a1", "b1"], ["b1"]) == ["missing a1 -"])
        #expect(mismatches(["a1"], ["a1", "a1"]) == ["added - a1"])
        #expect(mismatches(["a1"], ["b1"]) == ["missing a1 -", "added - b1"])
        #expect(
            mismatches(["a1", "c1"], ["b1", "c2", "b2"]) == [
                "missing a1 -", "added - b1", "changed c1 c2", "added - b2",
            ])
    }

    @Test func `the same in another order is one mismatch`() {
        #expect(mismatches(["a1", "b1", "c1"], ["c1", "a1", "b1"]) == ["reordered a1 c1"])
    }
}
