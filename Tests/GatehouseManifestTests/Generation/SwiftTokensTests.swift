// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import SeededTesting
import Testing

@testable import GatehouseManifest

@Suite(.timeLimit(.minutes(10))) struct SwiftTokensTests {
    /// The tokens of a text with blanks between them; nil when it is not understood.
    private func tokens(_ text: String) -> String? {
        SwiftTokens(SourceFile(path: "a.swift", content: Array(text.utf8)))?.texts.joined(separator: " ")
    }

    @Test(arguments: [
        ("", ""), ("a  b\t\n\r\nc", "a b c"), ("a // b\nc", "a c"), ("a/* b */c", "a c"),
        ("a /* b /* c */ d */ e", "a e"), ("a /* b", "a"), ("a /**/ b", "a b"), ("a / b", "a / b"),
        ("#if DEBUG", "#if DEBUG"), ("$0.b(c)", "$0 . b ( c )"), ("`a // \"b`()", "`a // \"b` ( )"),
    ])
    func `words and marks stand without comments and blanks`(text: String, expected: String) {
        #expect(tokens(text) == expected)
    }

    @Test(arguments: [
        #""// b""#, #""/* b */""#, #""\"// b""#, #""\\""#, ##"#"b " // c"#"##, ##"#"\" // c"#"##,
        ###"##"b "# // c"##"###, ##"#"\#(b) // c"#"##, "\"\"\"\n   // b\n\n   \" c   \n   \"\"\"",
        "#\"\"\"\n // \"\"\" b\n \"\"\"#", "\"\"\"\n \\\"\"\" // b\n \"\"\"", #""\(b("// c")) // d""#,
        #""\("\("// b")")""#, ##"#/"\/// b/#"##, #""\(b /* " */ ) // c""#,
    ])
    func `a literal is one token, whatever stands in it`(text: String) {
        #expect(tokens("a = \(text) // comment") == "a = \"\"")
        #expect(tokens("/* \" */ \(text)\nb") == "\"\" b")
    }

    @Test func `a string that is not closed ends with its line`() {
        #expect(tokens("a = \"b // c\nd // e") == "a = \"\" d")
    }

    @Test func `what may be a regular expression is not understood`() {
        #expect(tokens("let a = /b/") == nil)
        #expect(tokens("let a = b/c/d") != nil)
    }

    @Test func `the place of a token is counted in lines and Unicode scalars`() throws {
        let tokens = try #require(
            SwiftTokens(SourceFile(path: "a.swift", content: Array("a\n/* ü */ b \"é\" c".utf8))))
        #expect((0..<4).map { tokens.position(of: $0).description } == ["1:1", "2:9", "2:11", "2:15"])
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `any bytes are read to their end`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "\"", "\"\"\"", "#", "\\(", ")", "(", "/*", "*/", "//", "\n", " ", "`", "\\", "a", "/",
        ]
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...40, using: &random)
            let text = (0..<count).map { _ in pieces[Int.random(in: pieces.indices, using: &random)] }
                .joined()
            let found = tokens(text)
            #expect(
                found == nil || found?.contains("//") != true || text.contains("`"), "seed \(seed): \(text)")
        }
    }

    @Test func `interpolations far inside of each other end`() {
        let depth = 100_000
        #expect(tokens(String(repeating: "\"\\(", count: depth)) == "\"\"")
    }
}
