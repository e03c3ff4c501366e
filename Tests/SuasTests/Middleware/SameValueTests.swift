// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Suas

/// Whether a middleware passed an action on as it came.
@Suite(.timeLimit(.minutes(10)))
struct SameValueTests {
    private struct Empty: Action {}
    private struct AlsoEmpty: Action {}

    /// Equal to all others, as some types are to those with the same id.
    private struct Lenient: Action, Equatable {
        let text: String
        static func == (one: Lenient, other: Lenient) -> Bool { true }
    }

    private struct Large: Action {
        var numbers = [1, 2, 3]
        var texts = (String(repeating: "a", count: 40), 2, 3.5)
    }

    private final class Reference: Action {}

    @Test func `a value is the same as its copy`() {
        let reference = Reference()
        let actions: [any Action] = [Empty(), Lenient(text: "one"), Large(), reference, Add(1)]
        for action in actions {
            let copy = action
            #expect(SameValue.holds(action, copy))
        }
    }

    @Test func `values that differ, and equal ones that differ inside, are not the same`() {
        var changed = Large()
        changed.numbers[0] = 2
        let pairs: [(any Action, any Action)] = [
            (Add(1), Add(2)), (Lenient(text: "one"), Lenient(text: "two")), (Large(), changed),
            (Reference(), Reference()),
        ]
        for (one, other) in pairs { #expect(!SameValue.holds(one, other)) }
    }

    @Test func `values of different types are not the same`() {
        #expect(!SameValue.holds(Empty(), AlsoEmpty()))
    }
}
