// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import GatehouseControl
@testable import GatehouseJournal

/// What clients are told of a dead letter that they had dispatched again.
struct RedispatchTests {
    @Test func `each outcome has its words, and a reason where the action was not done`() {
        var letter = DeadLetter(
            .misfit, type: "a", action: [], from: nil, instance: "i", time: 0, reason: "it does not fit")
        letter.id = 9
        let outcomes: [(Redispatch, String)] = [
            (.unknown, #"{"id":4,"became":"unknown","reason":"there is no dead letter with this number"}"#),
            (.actionless, #"{"id":4,"became":"kept","reason":"its action was not stored with it"}"#),
            (.processed, #"{"id":4,"became":"processed"}"#), (.appended, #"{"id":4,"became":"appended"}"#),
            (.discarded, #"{"id":4,"became":"discarded"}"#),
            (.dead(letter), #"{"id":4,"became":"dead","as":9,"reason":"it does not fit"}"#),
        ]
        for (outcome, json) in outcomes { #expect(outcome.value(of: 4).json() == json) }
    }
}
