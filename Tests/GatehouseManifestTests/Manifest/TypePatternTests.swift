// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import SeededTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct TypePatternTests {
    @Test(arguments: [
        ("a", "a", true), ("a", "ab", false), ("a*", "a", true), ("a/*", "a/b", true), ("a/*", "a", false),
        ("*", "", true), ("\u{E9}", "e\u{301}", false), ("\u{E9}*", "e\u{301}x", false),
        ("e*", "e\u{301}", true),
    ])
    func `a pattern covers names by their bytes`(pattern: String, name: String, isCovered: Bool) throws {
        #expect(try #require(TypePattern(pattern)).covers(name) == isCovered)
    }

    @Test func `patterns that only look the same are two`() throws {
        #expect(TypePattern("\u{E9}") != TypePattern("e\u{301}"))
        #expect(Set(["\u{E9}", "e\u{301}", "a", "a*", "a"].map { TypePattern($0) }).count == 4)
    }

    @Test(
        arguments: [
            ("a", "a", "a"), ("a", "b", nil), ("a*", "a", "a"), ("a", "ab*", nil), ("a*", "ab*", "ab*"),
            ("*", "*", "*"), ("*", "a", "a"), ("ab*", "ac*", nil), ("a", "a*", "a"),
        ] as [(String, String, String?)])
    func `what two patterns share is one of them, or nothing`(one: String, other: String, both: String?)
        throws
    {
        let one = try #require(TypePattern(one))
        let other = try #require(TypePattern(other))
        #expect(one.intersection(other)?.description == both)
        #expect(other.intersection(one)?.description == both)
    }

    @Test(arguments: 1...20)
    func `a name lies in what two patterns share when both cover it`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func word(_ range: ClosedRange<Int>) -> String {
            String(
                (0..<Int.random(in: range, using: &random)).map { _ in
                    "ab".randomElement(using: &random) ?? "a"
                })
        }
        for _ in 0..<200 {
            let texts = (0..<2).map { _ in word(0...3) + (Bool.random(using: &random) ? "*" : "") }
            guard let one = TypePattern(texts[0]), let other = TypePattern(texts[1]) else { continue }
            let name = word(0...4)
            let both = one.intersection(other)?.covers(name) ?? false
            #expect(both == (one.covers(name) && other.covers(name)), "seed \(seed): \(texts) \(name)")
        }
    }

    @Test func `a beginning may be exchanged`() throws {
        #expect(try #require(TypePattern("a/b*")).replacing(first: 2, by: "x/").description == "x/b*")
        #expect(try #require(TypePattern("a")).replacing(first: 0, by: "x/").description == "x/a")
    }
}
