// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPPlugin

/// What of a header could be read in two ways.
@Suite(.timeLimit(.minutes(10))) struct HeaderFieldsTests {
    /// Fields as they came.
    private func fields(_ lines: [(String, String)]) -> HeaderFields {
        var fields = HeaderFields()
        for (name, value) in lines { fields.add(Array(name.utf8), Array(value.utf8)) }
        fields.finish()
        return fields
    }

    @Test(arguments: [
        (
            [("Content-Length", "3"), ("content-length", "4")],
            "expected one field content-length, found another one"
        ),
        ([("Host", "a"), ("Host", "a")], "expected one field host, found another one"),
        (
            [("Authorization", "a"), ("Authorization", "b")],
            "expected one field authorization, found another one"
        ),
        (
            [("Content-Length", "3"), ("Transfer-Encoding", "chunked")],
            "expected content-length or transfer-encoding, found both"
        ),
        (
            [("Transfer-Encoding", "gzip, chunked")],
            "expected chunked as transfer-encoding, found something else"
        ),
        (
            [("Transfer-Encoding ", "chunked")],
            "expected letters, digits and marks as the name of a header field, found others"
        ),
        (
            [("", "a")], "expected letters, digits and marks as the name of a header field, found others"
        ),
        (
            [("Authorization", "Bearer open\0x")],
            "expected authorization without control characters, found one"
        ),
        ([("Content-Length", "+3")], "expected a number of bytes as content-length, found something else"),
        ([("Content-Length", "")], "expected a number of bytes as content-length, found something else"),
        (
            [("Content-Length", "99999999999999999999")],
            "expected a number of bytes as content-length, found something else"
        ),
    ])
    func `what could be read in two ways is not read`(lines: [(String, String)], objection: String) {
        #expect(fields(lines).objection == objection)
    }

    @Test func `of fields that may stand twice the first counts, whatever the case of its name`() {
        let fields = fields([
            ("Accept", "a\tb"), ("ACCEPT", "c"), ("Transfer-Encoding", "Chunked"), ("X-!#$%&'*+.^_`|~", "1"),
        ])
        #expect(fields.objection == nil)
        #expect(fields["accept"] == "a\tb")
        #expect(fields["x-!#$%&'*+.^_`|~"] == "1")
    }

    @Test func `a path and a query hold no control characters`() {
        var request = HTTPRequest(method: "GET", path: "/health")
        #expect(request.objection == nil)
        request.query = [("types", "a\u{1}")]
        #expect(
            request.objection
                == "expected a path without control characters and a query of at most 64 arguments, found another one"
        )
        #expect(
            HTTPRequest(method: "GET", path: "/health\u{1}x").objection
                == "expected a path without control characters and a query of at most 64 arguments, found another one"
        )
    }

    @Test(arguments: ["", "GET\u{1}", "G T", "GÉT"])
    func `a method is a token`(method: String) {
        #expect(
            HTTPRequest(method: method, path: "/health").objection
                == "expected letters, digits and marks as the method, found others")
    }

    @Test(arguments: [
        ("Content-Length", "000000000000000003", true), ("Content-Length", "0000000000000000003", false),
        ("Content-Length", "/", false), ("Content-Length", ":", false), ("Content-Length", "09", true),
        ("X", "\u{1f}", false), ("X", " ", true), ("X", "\t", true), ("X", "\u{8}", false),
        ("X", "\u{a}", false), ("X", "~", true), ("X", "\u{7f}", false), ("X", "é", true),
        ("Transfer-Encoding", "CHUNKED", true), ("Transfer-Encoding", "", false), ("X(", "1", false),
        ("X/", "1", false), ("X:", "1", false), ("X@", "1", false), ("X[", "1", false), ("X{", "1", false),
        ("AZaz09", "1", true),
    ])
    func `each byte is one that may stand there, or is refused`(name: String, value: String, isRead: Bool) {
        #expect((fields([(name, value)]).objection == nil) == isRead)
    }

    @Test func `of several mistakes the first is told, and what is wrong is not kept`() {
        let fields = fields([("A b", "1"), ("Host", "a"), ("Host", "b"), ("X", "\u{1}")])
        #expect(
            fields.objection
                == "expected letters, digits and marks as the name of a header field, found others")
        #expect(fields["host"] == "a")
        #expect(fields["x"] == nil)
        #expect(fields.values.count == 1)
    }

    @Test(arguments: ["Transfer-Encoding", "Origin"])
    func `what tells the end or the sender stands once`(name: String) {
        #expect(
            self.fields([(name, "chunked"), (name, "chunked")]).objection
                == "expected one field \(name.lowercased()), found another one")
    }
}
