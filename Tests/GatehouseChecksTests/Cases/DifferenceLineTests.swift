// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseChecks

@Suite(.timeLimit(.minutes(10))) struct DifferenceLineTests {
    /// Lines up the characters of two texts.
    private func lines(_ expected: String, _ found: String) -> [String] {
        DifferenceLine.align(Array(expected), Array(found)) { $0 == $1 || $0 == "*" }.map(\.description)
    }

    @Test func `what is in both stands once, the rest with its mark`() {
        #expect(lines("abc", "abc") == ["  a", "  b", "  c"])
        #expect(lines("abc", "ac") == ["  a", "- b", "  c"])
        #expect(lines("ac", "abc") == ["  a", "+ b", "  c"])
        #expect(lines("abc", "") == ["- a", "- b", "- c"])
        #expect(lines("", "ab") == ["+ a", "+ b"])
        #expect(lines("", "") == [])
    }

    @Test func `what was expected stands before what was found in its place`() {
        #expect(lines("axc", "ayc") == ["  a", "- x", "+ y", "  c"])
    }

    @Test func `as many as can be are lined up, whatever may stand for several`() {
        #expect(lines("*a", "ab") == ["  a", "- a", "+ b"])
        #expect(lines("*ab", "xab") == ["  x", "  a", "  b"])
        #expect(lines("a*", "ba") == ["- a", "  b", "+ a"])
    }
}
