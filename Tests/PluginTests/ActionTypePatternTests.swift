// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@Suite(.timeLimit(.minutes(10))) struct ActionTypePatternTests {
    @Test(arguments: [
        ("a/b", "a/b", true), ("a/b", "a/bc", false), ("a/b", "a", false), ("a/*", "a/b", true),
        ("a/*", "a/", true),
        ("a/*", "a", false), ("*", "anything", true), ("*", "", true), ("é*", "e\u{301}x", false),
        ("é", "e\u{301}", false),
    ])
    func `a type matches byte by byte`(pattern: String, type: String, matches: Bool) throws {
        let pattern = try #require(ActionTypePattern(pattern))
        #expect(pattern.matches(ActionType(type)) == matches)
    }

    @Test(arguments: ["", "**", "*a", "a*b", "a**"])
    func `a star anywhere but at the end is no pattern`(text: String) {
        #expect(ActionTypePattern(text) == nil)
    }

    @Test(arguments: ["a/b", "a/*", "*"])
    func `a pattern is a string in settings`(text: String) throws {
        let pattern = try Value.string(text).decode(ActionTypePattern.self)
        #expect(pattern == ActionTypePattern(text))
        #expect(try Value(encoding: pattern) == .string(text))
    }

    @Test func `all is the lone star`() {
        #expect(ActionTypePattern.all == ActionTypePattern("*"))
    }
}
