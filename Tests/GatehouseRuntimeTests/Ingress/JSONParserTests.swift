// SPDX-License-Identifier: Apache-2.0

import CSimdJSON
import Testing

/// The C functions over simdjson: status codes, extents of the raw document, and memory.
@Suite(.timeLimit(.minutes(10))) struct JSONParserTests {
    /// What is left of a raw document once its parser is gone.
    private struct Outcome: Equatable {
        var status: gatehouse_json_status
        var words = 0
        var stringBytes = 0
    }

    /// Parses one text with a parser of its own.
    private func parse(_ text: String, maximum: Int = 1 << 20) -> Outcome {
        let parser = unsafe gatehouse_json_parser_create(maximum)
        defer { unsafe gatehouse_json_parser_destroy(parser) }
        return unsafe parse(text, with: parser)
    }

    /// Parses one text and says what came of it.
    private func parse(_ text: String, with parser: OpaquePointer?) -> Outcome {
        let bytes = Array(text.utf8) + Array(repeating: 0x20, count: Int(GATEHOUSE_JSON_PADDING))
        let document = unsafe gatehouse_json_parse(parser, bytes, text.utf8.count)
        return unsafe Outcome(
            status: document.status, words: document.word_count, stringBytes: document.string_byte_count)
    }

    @Test(arguments: [
        ("null", 3, 0), ("-1", 4, 0), ("[]", 4, 0), ("\"\"", 3, 5), ("\"ab\"", 3, 7),
        (#"{"a":1}"#, 7, 6), (#"{"a":[1,2.5,true,false,null,{}]}"#, 16, 6),
        (#"["é\u0041",[[],{}],-1.5e3]"#, 13, 8), (#"[1,"[,",2]"#, 9, 7), (#"{"a":"","b":"\\\""}"#, 8, 24),
    ])
    func `a document has these extents`(text: String, words: Int, stringBytes: Int) {
        #expect(
            parse(text) == Outcome(status: GATEHOUSE_JSON_OK, words: words, stringBytes: stringBytes))
    }

    @Test(arguments: [
        ("", GATEHOUSE_JSON_INVALID), ("{", GATEHOUSE_JSON_INVALID), ("[1,]", GATEHOUSE_JSON_INVALID),
        ("[1] 2", GATEHOUSE_JSON_INVALID), ("[1e400]", GATEHOUSE_JSON_NUMBER),
        ("[01]", GATEHOUSE_JSON_NUMBER),
        (String(repeating: "[", count: 513) + String(repeating: "]", count: 513), GATEHOUSE_JSON_TOO_DEEP),
    ])
    func `a refusal has no document`(text: String, status: gatehouse_json_status) {
        #expect(parse(text) == Outcome(status: status))
    }

    @Test func `a text beyond the maximum capacity is refused`() {
        let longest = "\"" + String(repeating: "x", count: 9_998) + "\""
        #expect(parse(longest, maximum: 10_000).status == GATEHOUSE_JSON_OK)
        #expect(parse(longest + " ", maximum: 10_000) == Outcome(status: GATEHOUSE_JSON_TOO_LONG))
    }

    @Test func `buffers grow in powers of two`() {
        let parser = unsafe gatehouse_json_parser_create(1 << 20)
        defer { unsafe gatehouse_json_parser_destroy(parser) }
        #expect(unsafe gatehouse_json_parser_capacity(parser) == 0)
        #expect(unsafe parse("[]", with: parser).status == GATEHOUSE_JSON_OK)
        #expect(unsafe gatehouse_json_parser_capacity(parser) == 4096)
        let long = "\"" + String(repeating: "x", count: 5_000) + "\""
        #expect(unsafe parse(long, with: parser).status == GATEHOUSE_JSON_OK)
        #expect(unsafe gatehouse_json_parser_capacity(parser) == 8192)
    }

    @Test func `destroying nothing is allowed`() {
        gatehouse_json_parser_destroy(nil)
    }
}
