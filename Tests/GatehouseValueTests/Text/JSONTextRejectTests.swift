// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import Testing

/// What RFC 8259 forbids, with the place and the sentence that a reader gets.
@Suite(.timeLimit(.minutes(10))) struct JSONTextRejectTests {
    /// Text, and the whole error as printed.
    static let table: [(String, String)] = [
        ("", "1:1: expected a value, found nothing but white space"),
        (" \n\t ", "2:3: expected a value, found nothing but white space"),
        (
            "\u{FEFF}1",
            "1:1: expected a value, found a byte order mark; save the text as UTF-8 without one"
        ),
        ("{", "1:2: expected a member name in double quotes, found the end of the text"),
        ("[", "1:2: expected a value, found the end of the text"),
        ("[1", "1:3: expected ',' or ']', found the end of the text"),
        ("[1 2]", "1:4: expected ',' or ']', found '2'"),
        ("[1,]", "1:3: expected a value after ',', found a closing bracket; remove the comma"),
        ("[,1]", "1:2: expected a value, found ','"),
        ("[1,,2]", "1:4: expected a value, found ','"),
        ("]", "1:1: expected a value, found ']'"),
        ("{\"a\" 1}", "1:6: expected ':' after the member name, found '1'"),
        ("{\"a\":}", "1:6: expected a value, found '}'"),
        ("{\"a\":1,}", "1:7: expected a value after ',', found a closing bracket; remove the comma"),
        ("{\"a\":1 \"b\":2}", "1:8: expected ',' or '}', found '\"'"),
        ("{a:1}", "1:2: expected a member name in double quotes, found 'a'"),
        ("{1:1}", "1:2: expected a member name in double quotes, found '1'"),
        ("{'a':1}", "1:2: expected a member name in double quotes, found '''"),
        ("1 2", "1:3: expected the end of the text, found '2'"),
        ("{}}", "1:3: expected the end of the text, found '}'"),
        ("1\u{0}", "1:2: expected the end of the text, found U+0000"),
        ("nul", "1:1: expected a value, found nul; bare words are true, false and null"),
        ("True", "1:1: expected a value, found True; bare words are true, false and null"),
        ("nullx", "1:1: expected a value, found nullx; bare words are true, false and null"),
        ("[NaN]", "1:2: expected a value, found NaN; bare words are true, false and null"),
        ("// no", "1:1: expected a value, found '/'"),
        ("\u{A0}1", "1:1: expected a value, found '\u{A0}'"),
        ("01", "1:1: expected a number without leading zeros, found one"),
        ("-01", "1:2: expected a number without leading zeros, found one"),
        ("-", "1:2: expected a digit after '-', found none"),
        ("+1", "1:1: expected a value, found '+'"),
        (".5", "1:1: expected a value, found '.'"),
        ("1.", "1:3: expected a digit after '.', found none"),
        ("1.e3", "1:3: expected a digit after '.', found none"),
        ("1e", "1:3: expected a digit after 'e', found none"),
        ("1E+", "1:4: expected a digit after 'E', found none"),
        ("[1:2]", "1:3: expected ',' or ']', found ':'"),
        ("[1/2]", "1:3: expected ',' or ']', found '/'"),
        ("0x10", "1:2: expected the end of the text, found 'x'"),
        ("\"abc", "1:1: expected a closing '\"' for the string that starts here, found none"),
        ("\"abc\\", "1:1: expected a closing '\"' for the string that starts here, found none"),
        (
            "\"a\u{1F}\"",
            "1:3: expected printable text in a string, found the control character U+001F; escape it"
        ),
        (
            "\"a\nb\"",
            "1:3: expected printable text in a string, found the control character U+000A; escape it"
        ),
        ("\"\\x\"", "1:2: expected one of \" \\ / b f n r t u after '\\', found 'x'"),
        ("\"\\u12\"", "1:2: expected four hexadecimal digits after '\\u', found fewer"),
        ("\"\\uD800\"", "1:2: expected both halves of a surrogate pair, found only U+D800"),
        ("\"\\uDC00\"", "1:2: expected both halves of a surrogate pair, found only U+DC00"),
        ("\"\\uD800\\u0041\"", "1:2: expected both halves of a surrogate pair, found only U+D800"),
        ("\"\\uD800xuDC00\"", "1:2: expected both halves of a surrogate pair, found only U+D800"),
        ("\"\\uD800\\xDC00\"", "1:2: expected both halves of a surrogate pair, found only U+D800"),
        ("\"\\uD800\\uD800\"", "1:2: expected both halves of a surrogate pair, found only U+D800"),
        ("{\"é\": x}", "1:7: expected a value, found x; bare words are true, false and null"),
        ("[\n  1,\n  🚪\n]", "3:3: expected a value, found '🚪'"),
        ("[\r\n  \"ü\" 1]", "2:7: expected ',' or ']', found '1'"),
    ]

    @Test(arguments: table)
    func `a text outside the grammar is refused with its place`(text: String, message: String) {
        let error = #expect(throws: JSONSyntaxError.self) { try JSONText.parse(text) }
        #expect(error?.description == message)
        let located = #expect(throws: JSONSyntaxError.self) { try JSONText.parseLocated(text) }
        #expect(located == error)
    }

    /// Byte sequences inside quotes that are not UTF-8; the error is at the first byte of the sequence.
    static let notUTF8: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80], [0xE2, 0x82],
        [0xED, 0xA0, 0x80],
        [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE],
    ]

    @Test(arguments: notUTF8)
    func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
        let error = #expect(throws: JSONSyntaxError.self) {
            try JSONText.parse(Array("[\"a".utf8) + bytes + Array("\"]".utf8))
        }
        #expect(
            error == JSONSyntaxError(position: .init(line: 1, column: 4, offset: 3), reason: .invalidUTF8))
    }

    @Test(arguments: ["[", "{\"a\":", "[{\"a\":"])
    func `endless nesting is refused at the limit and not by the stack`(open: String) {
        let error = #expect(throws: JSONSyntaxError.self) {
            try JSONText.parse(String(repeating: open, count: 100_000))
        }
        #expect(error?.reason == .tooDeep(limit: 512))
    }

    @Test func `containers up to the limit are read`() throws {
        let text = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        #expect(try JSONText.parse(text).json() == text)
        #expect(throws: JSONSyntaxError.self) { try JSONText.parse("[" + text + "]") }
    }
}
