// SPDX-License-Identifier: Apache-2.0

import GatehouseManifest
import SeededTesting
import Testing

@Suite struct SourceStripperTests {
    /// The stripped text.
    private func strip(_ text: String, as language: SourceLanguage = .swift) -> String {
        String(decoding: SourceStripper.strip(Array(text.utf8), as: language), as: UTF8.self)
    }

    @Test(arguments: [
        ("", ""), ("  \n\n", ""), ("a", "a"), ("  a  b\t\n\n\nc  ", "a b\nc"), ("a\r\nb", "a\nb"),
        ("a // b\nc", "a\nc"), ("// a\nb", "b"), ("a /* b */ c", "a c"), ("a/* b */c", "a c"),
        ("a /* b\n b */ c", "a\nc"), ("a /* b /* c */ d */ e", "a e"), ("a /* b", "a"), ("a / b", "a / b"),
        ("a /// b\nc", "a\nc"), ("a /**/ b", "a b"), ("a */ b", "a */ b"),
    ])
    func `comments and superfluous blank space go away`(text: String, expected: String) {
        #expect(strip(text) == expected)
    }

    @Test(arguments: [
        #"a = "// b""#, #"a = "/* b */""#, #"a = "  b  ""#, #"a = "\"// b""#, #"a = "\\""#,
        ##"a = #"b " // c"#"##, ##"a = #"\" // c"#"##, ###"a = ##"b "# // c"##"###, ##"a = #"\#(b) // c"#"##,
        "a = \"\"\"\n   // b\n\n   \" c   \n   \"\"\"", "a = #\"\"\"\n // \"\"\" b\n \"\"\"#",
        "a = \"\"\"\n \\\"\"\" // b\n \"\"\"", #"a = "\(b("// c")) // d""#, #"a = "\("\("// b")")""#,
        ##"a = #/"\/// b/#"##, "func `a // \"b`() {}", "#if DEBUG", "#expect(a)", #"a = """#,
    ])
    func `literals are kept byte for byte`(text: String) {
        #expect(strip(text) == text)
        #expect(strip(text + " // comment") == text)
        #expect(strip("/* \" */ " + text + "\n// comment \"") == text)
    }

    @Test func `a comment inside an interpolation goes away`() {
        #expect(strip(#"a = "\(b /* " */ ) // c" // d"#) == #"a = "\(b ) // c""#)
    }

    @Test func `a string that is not closed ends with its line`() {
        #expect(strip("a = \"b // c\nd // e") == "a = \"b // c\nd")
    }

    @Test(arguments: [
        ("a /* b /* c */ d", "a d"), ("'\"' // b", "'\"'"), (#"'\'' // b"#, #"'\''"#),
        ("a // b\n#endif", "a\n#endif"),
        (#"a "// b" // c"#, #"a "// b""#), ("`a // b`", "`a"), (#""\(" // b"#, #""\(""#),
        ("#define A \\\n  b // c", "#define A \\\nb"), ("#include \"a//b.h\"", "#include \"a//b.h\""),
    ])
    func `C comments do not nest and characters may be quotation marks`(text: String, expected: String) {
        #expect(strip(text, as: .c) == expected)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `any bytes are accepted`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "\"", "\"\"\"", "#", "\\(", ")", "(", "/*", "*/", "//", "\n", " ", "`", "'", "\\", "a", "/",
        ]
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...40, using: &random)
            let text = (0..<count).map { _ in pieces[Int.random(in: pieces.indices, using: &random)] }
                .joined()
            for language in [SourceLanguage.swift, .c] {
                let once = strip(text, as: language)
                #expect(once.utf8.count <= text.utf8.count, "seed \(seed): \(text)")
            }
        }
    }

    @Test func `deep interpolations end`() {
        let text = String(repeating: "\"\\(", count: 10_000)
        #expect(strip(text) == text)
    }
}
