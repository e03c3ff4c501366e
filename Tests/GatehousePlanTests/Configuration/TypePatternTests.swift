// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import Testing

@testable import GatehousePlan

@Suite(.timeLimit(.minutes(10))) struct TypePatternTests {
    @Test(arguments: [
        ("a", "a", true), ("a", "ab", false), ("a", "", false), ("a*", "a", true), ("a*", "ab", true),
        ("a/*", "a", false), ("*", "anything", true), ("*", "", true),
        ("*", "host/reload", false), ("h*", "host/reload", false), ("host*", "host/reload", false),
        ("host*", "hostess", true), ("host/*", "host/reload", true), ("host/re*", "host/reload", true),
        ("host/reload", "host/reload", true), ("host/reload", "host/reload/x", false),
        ("e\u{301}*", "\u{e9}", false),
    ])
    func `a pattern covers types by their bytes, host types only by name`(
        pattern: String, type: String, isCovered: Bool
    ) throws {
        #expect(try #require(TypePattern(pattern)).admits(type) == isCovered)
    }

    @Test(arguments: ["", "**", "a*b", "*a", "a**"])
    func `a star is accepted only at the end`(text: String) {
        #expect(TypePattern(text) == nil)
    }

    @Test(arguments: ["a", "a*", "*", "host/*"])
    func `a pattern is described as it is written`(text: String) {
        #expect(TypePattern(text)?.description == text)
    }
}
