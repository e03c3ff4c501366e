// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPPlugin

/// How the trace of a request gets into the actions that it brings.
@Suite(.timeLimit(.minutes(10))) struct TracedLinesTests {
    private func traced(_ text: String) -> String {
        String(decoding: TracedLines(header: "00-a-b-01").adding(to: Array(text.utf8)), as: UTF8.self)
    }

    @Test func `it is added at the end of each action, which keeps its places`() {
        #expect(
            traced("{\"type\":\"a\"}\r\n\n { \"type\":\"b\", \"payload\":{} } ") == """
                {"type":"a","meta":{"traceparent":"00-a-b-01"}}\r\n\n { "type":"b", "payload":{} ,"meta":{"traceparent":"00-a-b-01"}}\u{20}
                """)
    }

    @Test func `a meta keeps what it has`() {
        #expect(
            traced(#"{"type":"a","meta":{"id":"7"}}"#)
                == #"{"type":"a","meta":{"id":"7","traceparent":"00-a-b-01"}}"#)
    }

    @Test(arguments: [
        "", "?", "{}", "[1]", #"{"type":"a""#, #"{"type":"a","meta":7}"#,
        #"{"type":"a","meta":{"traceparent":"mine"}}"#,
    ])
    func `what is no action without a trace stays as it is`(text: String) { #expect(traced(text) == text) }
}
