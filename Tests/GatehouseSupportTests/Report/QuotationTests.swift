// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import SeededTesting
import Testing

@testable import GatehouseSupport

/// How texts are shown that somebody else has written.
@Suite(.timeLimit(.minutes(10))) struct QuotationTests {
    @Test func `a line, a text and a message each keep their own line ends`() {
        let text = "a\n  b\nc\td\u{1B}"
        #expect(Quotation.bare(text) == #"a\n  b\nc\td\u{1B}"#)
        #expect(Quotation.lines(text) == "a\n  b\nc\td\\u{1B}")
        #expect(Quotation.message(text) == "a\n  b\\nc\td\\u{1B}")
    }

    @Test func `words to choose from are joined as in a sentence`() {
        #expect(Quotation.choice(of: []) == "nothing")
        #expect(Quotation.choice(of: ["a"]) == #""a""#)
        #expect(Quotation.choice(of: ["a", "b"]) == #""a" or "b""#)
        #expect(Quotation.choice(of: ["a", "b", "c\n"]) == #""a", "b" or "c\n""#)
        #expect(Quotation.list(of: ["a", "b", "c\n"]) == #""a", "b", "c\n""#)
    }

    @Test func `what runs backwards and what ends a line in Unicode are escaped`() {
        #expect(
            Quotation.bare("\u{202A}\u{202E}\u{2066}\u{2069}\u{2028}\u{85}\u{9B}\u{7F}")
                == #"\u{202A}\u{202E}\u{2066}\u{2069}\u{2028}\u{0085}\u{009B}\u{7F}"#)
        #expect(Quotation.bare("ü – \u{200E}日本\u{2065}") == "ü – \u{200E}日本\u{2065}")
    }

    /// JSON text with the escapes that it gets.
    private func escaped(_ json: String, from start: Int = 0) -> String {
        var bytes = Array(json.utf8)
        Quotation.escapeControls(in: &bytes, from: start)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `JSON keeps its meaning and its layout`() {
        #expect(
            escaped("{\n\t\"a\": \"\u{9B}\u{7F}\u{202E}ü\"\n}") == "{\n\t\"a\": \"\\u009b\\u007f\\u202eü\"\n}"
        )
        #expect(escaped("\u{9B}\u{9B}", from: 2) == "\u{9B}\\u009b")
        #expect(escaped("plain") == "plain")
        #expect(escaped("") == "")
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func `any value reads back the same from what is printed, in which a terminal obeys nothing`(seed: UInt64)
        throws
    {
        var generator = SeededGenerator(seed: seed)
        let texts = (0..<20).map { _ in
            String(
                String.UnicodeScalarView(
                    (0..<8).compactMap { _ in
                        Unicode.Scalar(
                            [0...0xFF, 0x2000...0x20FF, 0x1F600...0x1F6FF].randomElement(using: &generator)
                                .map { UInt32.random(in: $0, using: &generator) } ?? 0)
                    }))
        }
        let value = Value.array(texts.map { .string($0) })
        let printed = escaped(value.json(.pretty))
        #expect(try JSONText.parse(printed) == value)
        #expect(Quotation.lines(printed) == printed)
    }
}
