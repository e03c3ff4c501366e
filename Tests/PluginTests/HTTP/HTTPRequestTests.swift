// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPPlugin

/// What is read of a request's header.
@Suite(.timeLimit(.minutes(10))) struct HTTPRequestTests {
    /// A request with one field.
    private func request(_ field: String, _ value: String) -> HTTPRequest {
        HTTPRequest(method: "GET", path: "/", fields: HeaderFields([field: value]))
    }

    @Test func `values of a query are split at commas, of each time that the name occurs`() {
        let request = HTTPRequest(
            method: "GET", path: "/",
            query: [("a", "1,2"), ("b", "3"), ("a", ""), ("a", "4,,5"), ("A", "6")])
        #expect(request.values(of: "a") == ["1", "2", "4", "5"])
        #expect(request.values(of: "c") == [])
    }

    @Test func `a length is a number`() {
        #expect(request("content-length", "12").contentLength == 12)
        #expect(request("x", "12").contentLength == nil)
    }

    @Test(arguments: [
        ("gzip", true), ("br, gzip", true), ("gzip;q=0.5", true), ("gzip; q=0.01", true), ("gzip;q=0", false),
        ("gzip ; q = 0.0", false), ("br", false), ("xgzip", false), ("", false), ("br;q=0, gzip", true),
        ("gzip;level=1;q=0", false),
    ])
    func `gzip is taken where it is named and not excluded`(value: String, isTaken: Bool) {
        #expect(request("accept-encoding", value).takesGzip == isTaken)
        #expect(!request("x", value).takesGzip)
    }

    @Test(
        arguments: [
            ("application/json", "application/json"),
            ("Application/JSON ; charset=utf-8", "application/json"),
            (" text/plain", "text/plain"), ("", nil),
        ] as [(String, String?)])
    func `a media type has no parameters and no capitals`(value: String, type: String?) {
        #expect(request("content-type", value).mediaType == type)
        #expect(request("x", value).mediaType == nil)
    }

    @Test func `space and tilde are no control characters, and what is beside them is`() {
        let objection =
            "expected a path without control characters and a query of at most 64 arguments, found another one"
        for (text, isRefused) in [(" ", false), ("~", false), ("\u{1f}", true), ("\u{7f}", true)] {
            let expected = isRefused ? objection : nil
            #expect(HTTPRequest(method: "GET", path: "/\(text)").objection == expected)
            #expect(HTTPRequest(method: "GET", path: "/", query: [(text, "")]).objection == expected)
            #expect(HTTPRequest(method: "GET", path: "/", query: [("", text)]).objection == expected)
        }
        var request = HTTPRequest(method: "GET", path: "/")
        request.fields.object(to: "no")
        #expect(request.objection == "no")
        #expect((request.client, request.network) == ("a client", "a client"))
    }
}
