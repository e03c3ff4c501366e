// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import SeededTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct TextPatternTests {
    @Test(arguments: [
        ("b", "abc", true), ("b", "ac", false), ("", "", true), ("", "x", true), ("^$", "", true),
        ("^$", "x", false),
        ("^a|b$", "ax", true), ("^a|b$", "xb", true), ("^a|b$", "xax", false), ("^(a|b)$", "b", true),
        ("^(?:ab)+$", "abab", true), ("^(?:ab)+$", "aba", false), ("^a?b$", "b", true),
        ("^a*$", "aaa", true),
        ("^a{2}$", "aa", true), ("^a{2}$", "aaa", false), ("^a{1,2}$", "", false), ("^a{2,}$", "aaaa", true),
        ("^a{0}$", "", true), ("^.$", "é", true), ("^.$", "\n", false), ("^[abc]+$", "cab", true),
        ("^[^abc]$", "d", true), ("^[^abc]$", "a", false), ("^[a-c-]+$", "a-c", true), ("^[]$", "", false),
        ("^\\d+\\w\\s$", "12_ ", true), ("^\\D\\W\\S$", "a-b", true), ("^[\\d.]+$", "1.5", true),
        ("^[\\D]$", "5", false), ("^[\\D]$", "/", true), ("^[\\D]$", ":", true), ("^[\\W]$", "@", true),
        ("^[\\W]$", "[", true), ("^[\\W]$", "_", false), ("^[a\\S]$", "!", true), ("^[a\\S]$", " ", false),
        ("^\\.\\*\\/$", ".*/", true), ("^\\x41\\u00e9$", "Aé", true),
        ("^[^/\\u0000]+$", "a\0", false), ("^(a*)*$", "aaaa", true), ("^((a|)+)*b$", "aab", true),
        ("^[a-z][a-z0-9-]*$", "orders-eu", true), ("^[a-z][a-z0-9-]*$", "1st", false),
        ("^(/([^~/]|~[01])*)*$", "/a~1b//c", true), ("^(/([^~/]|~[01])*)*$", "/a~2", false),
        ("^([^*]*/)?$", "orders/", true), ("^([^*]*/)?$", "orders", false), ("a+?b", "aab", true),
    ])
    func `a pattern finds what it describes`(pattern: String, text: String, matches: Bool) throws {
        #expect(try TextPattern(pattern).matches(text) == matches)
    }

    @Test func `text is compared by its scalars, not by what looks the same`() throws {
        #expect(try TextPattern("^\u{E9}$").matches("e\u{301}") == false)
        #expect(try TextPattern("^..$").matches("e\u{301}"))
    }

    @Test(arguments: [
        ("(?=a)", "expected a pattern, found (?=, which is not supported; write the pattern without it"),
        ("(?<n>a)", "expected a pattern, found (?<, which is not supported; write the pattern without it"),
        ("(?", "expected a pattern, found (?, which is not supported; write the pattern without it"),
        ("\\1", "expected a pattern, found \\1, which is not supported; write the pattern without it"),
        ("\\b", "expected a pattern, found \\b, which is not supported; write the pattern without it"),
        ("\\p{L}", "expected a pattern, found \\p, which is not supported; write the pattern without it"),
        ("(a", "expected a pattern, found a ( without its counterpart; write \\( for the character itself"),
        ("a)", "expected a pattern, found a ) without its counterpart; write \\) for the character itself"),
        ("[a", "expected a pattern, found a [ without its counterpart; write \\[ for the character itself"),
        ("a]", "expected a pattern, found a ] without its counterpart; write \\] for the character itself"),
        ("a{1", "expected a pattern, found a { without its counterpart; write \\{ for the character itself"),
        (
            "*a",
            "expected a pattern, found a * with nothing before it to repeat; write \\* for the character itself"
        ),
        (
            "a|+",
            "expected a pattern, found a + with nothing before it to repeat; write \\+ for the character itself"
        ),
        (
            "a**",
            "expected a pattern, found a * with nothing before it to repeat; write \\* for the character itself"
        ),
        ("a{x}", "expected a pattern, found {x}; correct it"),
        ("a{}", "expected a pattern, found {}; correct it"),
        ("a{2,1}", "expected a pattern, found {2,1}; correct it"),
        ("a{1,2,3}", "expected a pattern, found {1,2,3}; correct it"),
        (
            "[z-a]",
            "expected a pattern, found a range in brackets that has no beginning before its end; correct it"
        ),
        (
            "[\\d-z]",
            "expected a pattern, found a range in brackets that has no beginning before its end; correct it"
        ),
        ("a\\", "expected a pattern, found a \\ at the end; correct it"),
        (
            "\\u12",
            "expected a pattern, found an escape that needs 4 hexadecimal digits of a character; correct it"
        ),
        (
            "\\ud800",
            "expected a pattern, found an escape that needs 4 hexadecimal digits of a character; correct it"
        ),
        ("a{1001}", "expected a pattern, found one that is too large; nest and repeat less"),
        (
            "((((a{99}){99}){99}){99}){99}",
            "expected a pattern, found one that is too large; nest and repeat less"
        ),
        (
            "((((){999}){999}){999}){999}",
            "expected a pattern, found one that is too large; nest and repeat less"
        ),
    ])
    func `what is no pattern, or needs what patterns here have not, is refused`(text: String, message: String)
    {
        #expect(throws: TextPatternError.self) { try TextPattern(text) }
        do { _ = try TextPattern(text) } catch { #expect(error.description == message) }
    }

    @Test func `groups inside each other are read to a limit`() throws {
        let nested = { (depth: Int) in
            String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
        }
        #expect(try TextPattern(nested(100)).matches("a"))
        #expect(throws: TextPatternError.tooLarge) { try TextPattern(nested(101)) }
        #expect(throws: TextPatternError.tooLarge) { try TextPattern(nested(100_000)) }
    }

    @Test func `a pattern that others backtrack over takes one pass`() throws {
        let text = String(repeating: "a", count: 500)
        #expect(try TextPattern("^(a+)+(a|aa)*b$").matches(text) == false)
    }

    @Test(arguments: 1...40)
    func `any text is a pattern or refused, never a trap`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let text = String(
                (0..<Int.random(in: 0...12, using: &random)).map { _ in
                    "ab()[]{}*+?|^$.\\-,01dwxu:é".randomElement(using: &random) ?? "a"
                })
            guard let pattern = try? TextPattern(text) else { continue }
            // A pattern between anchors matches at most what the pattern alone finds.
            if let anchored = try? TextPattern("^(" + text + ")$"), anchored.matches("ab01") {
                #expect(pattern.matches("ab01"), "seed \(seed), pattern \(text)")
            }
        }
    }
}
