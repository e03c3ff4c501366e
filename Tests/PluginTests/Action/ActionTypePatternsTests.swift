// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

/// One pattern of types or several, as settings have them.
@Suite(.timeLimit(.minutes(10))) struct ActionTypePatternsTests {
    @Test func `patterns cover what one of them covers, and are written as they were`() throws {
        for (value, covered, other) in [
            ("a/b", "a/b", "a/c"), (["a/b"], "a/b", "a/c"), (["a/b", "c/*"], "c/d", "a/c"), ("*", "x", nil),
        ] as [(Value, ActionType, ActionType?)] {
            let patterns = try value.decode(ActionTypePatterns.self)
            #expect(patterns.contains(covered))
            if let other { #expect(!patterns.contains(other)) }
            #expect(try Value(encoding: patterns) == value)
        }
        #expect(try (["a/b", "c/*"] as Value).decode(ActionTypePatterns.self).contains("a/b"))
    }

    @Test func `anything but a pattern or some is refused with the reason`() {
        for (value, reason) in [
            ([], "the whole value: expected an action type, or an array of at least one, found an empty one"),
            (5, "the whole value: expected an action type, or an array of at least one, found an integer"),
            (
                ["a", "**"],
                #"/1: expected an action type, with * at most at its end, found "**""#
            ),
            ("", #"the whole value: expected an action type, with * at most at its end, found """#),
        ] as [(Value, String)] {
            let failure = #expect(throws: CodingFailure.self) { try value.decode(ActionTypePatterns.self) }
            #expect(failure?.description == reason)
        }
    }

    @Test func `what an encoder refuses is an error`() throws {
        for value in ["a", ["a", "b"]] as [Value] {
            let patterns = try value.decode(ActionTypePatterns.self)
            #expect(throws: RefusingEncoder.Refusal.self) { try patterns.encode(to: RefusingEncoder()) }
        }
        let pattern = try #require(ActionTypePattern("a"))
        #expect(throws: RefusingEncoder.Refusal.self) { try pattern.encode(to: RefusingEncoder()) }
    }
}
