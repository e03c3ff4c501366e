// SPDX-License-Identifier: Apache-2.0

import GatehouseValue
import Testing

/// What RFC 8259 allows, and the value that it gives.
@Suite(.timeLimit(.minutes(10))) struct JSONTextAcceptTests {
    /// Text, value, and the text that the value is written as.
    static let table: [(String, Value, String)] = [
        ("null", .null, "null"),
        (" \t\r\n true \n", .bool(true), "true"),
        ("false", .bool(false), "false"),
        ("0", .integer(0), "0"),
        ("-0", .integer(0), "0"),
        ("9223372036854775807", .integer(.max), "9223372036854775807"),
        ("-9223372036854775808", .integer(.min), "-9223372036854775808"),
        ("9223372036854775808", .unsigned(9_223_372_036_854_775_808), "9223372036854775808"),
        ("18446744073709551615", .unsigned(.max), "18446744073709551615"),
        ("18446744073709551616", .bigNumber("18446744073709551616"), "18446744073709551616"),
        ("-9223372036854775809", .bigNumber("-9223372036854775809"), "-9223372036854775809"),
        ("1.5", .double(1.5), "1.5"),
        ("1.0", .double(1), "1.0"),
        ("-0.0", .double(-0.0), "-0.0"),
        ("1e2", .double(100), "100.0"),
        ("1E+2", .double(100), "100.0"),
        ("25e-1", .double(2.5), "2.5"),
        ("0.1", .double(0.1), "0.1"),
        ("5e-324", .double(.leastNonzeroMagnitude), "5e-324"),
        ("1e-400", .double(0), "0.0"),
        ("1.7976931348623157e308", .double(.greatestFiniteMagnitude), "1.7976931348623157e+308"),
        ("1e400", .bigNumber("1e400"), "1e400"),
        ("-1.50E+999", .bigNumber("-1.50E+999"), "-1.50E+999"),
        (#""""#, "", #""""#),
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t", #""\"\\/\b\f\n\r\t""#),
        (#""\u0041\u00e9\u20AC""#, "Aé€", #""Aé€""#),
        (#""\ud83d\udeaa""#, "🚪", #""🚪""#),
        (#""\u0000\u001f""#, "\u{0}\u{1F}", #""\u0000\u001f""#),
        ("\"\u{7F}\u{2028}\"", "\u{7F}\u{2028}", "\"\u{7F}\u{2028}\""),
        (
            "\"\u{800}\u{FFF}\u{D7FF}\u{10000}\u{10FFFF}\"", "\u{800}\u{FFF}\u{D7FF}\u{10000}\u{10FFFF}",
            "\"\u{800}\u{FFF}\u{D7FF}\u{10000}\u{10FFFF}\""
        ),
        ("[]", [], "[]"),
        ("[ ]", [], "[]"),
        ("[1,[2,[]],{}]", [1, [2, []], [:]], "[1,[2,[]],{}]"),
        ("{ }", [:], "{}"),
        (#"{"b":1,"a":{"":[]}}"#, ["b": 1, "a": ["": []]], #"{"b":1,"a":{"":[]}}"#),
        (#"{"a":1,"b":2,"a":3}"#, ["a": 3, "b": 2], #"{"a":3,"b":2}"#),
    ]

    @Test(arguments: table)
    func `a text within the grammar is read`(text: String, value: Value, written: String) throws {
        let parsed = try JSONText.parse(text)
        #expect(parsed == value)
        #expect(parsed.json() == written)
        #expect(try JSONText.parse(Array(text.utf8)).json() == written)
        #expect(try JSONText.parseLocated(text).value.json() == written)
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `a value survives the way through text`(seed: UInt64) throws {
        var generator = Generator(seed: seed)
        let value = generator.value()
        for style in [JSONStyle.compact, .pretty] {
            let parsed = try JSONText.parse(value.json(style))
            #expect(parsed == value, "seed \(seed)")
            #expect(parsed.json() == value.json(), "seed \(seed)")
        }
    }

    @Test(arguments: 1...300 as ClosedRange<UInt64>)
    func `damaged text is read or refused, never worse`(seed: UInt64) {
        var generator = Generator(seed: seed)
        var bytes = Array(generator.value().json().utf8)
        for _ in 0..<3 where !bytes.isEmpty {
            let place = Int(generator.next() % UInt64(bytes.count))
            bytes[place] = UInt8(truncatingIfNeeded: generator.next())
        }
        let plain = Result { try JSONText.parse(bytes) }
        let located = Result { try JSONText.parseLocated(bytes) }
        switch (plain, located) {
        case (.success(let value), .success(let twin)): #expect(twin.value == value, "seed \(seed)")
        case (.failure(let error as JSONSyntaxError), .failure(let twin as JSONSyntaxError)):
            #expect(error == twin, "seed \(seed)")
            #expect((0...bytes.count).contains(error.position.offset), "seed \(seed)")
        default: Issue.record("seed \(seed): one parser accepted what the other refused")
        }
    }
}
