// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPPlugin

/// Files that are embedded, as browsers and others get them.
@Suite(.timeLimit(.minutes(10))) struct ConsoleRouteTests {
    private static let file = ConsoleFile("/", "text/html; charset=utf-8", Array("hello\n".utf8))
    private static let etag = file.etag

    private let route = ConsoleRoute([file])

    private func ask(_ fields: [String: String], path: String = "/") -> HTTPResponse? {
        route.answer(HTTPRequest(method: "GET", path: path, fields: HeaderFields(fields)))
    }

    @Test(arguments: ["gzip", "br, gzip;q=0.5", "gzip, deflate"])
    func `a client that takes gzip gets it`(coding: String) throws {
        let answer = try #require(ask(["accept-encoding": coding]))
        #expect(answer.field("Content-Encoding") == "gzip")
        // The system is left open: it is that of the machine which compresses.
        guard case .bytes(let bytes) = answer.body else {
            Issue.record("expected bytes")
            return
        }
        #expect(bytes.prefix(9) == [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 2])
        #expect(
            bytes.dropFirst(10) == [
                0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0xE7, 0x02, 0x00, 0x20, 0x30, 0x3A, 0x36, 0x06, 0x00, 0x00,
                0x00,
            ])
    }

    @Test(arguments: [nil, "identity", "gzip;q=0", "gzip; q=0", "x-gzip"])
    func `others get plain bytes`(coding: String?) throws {
        let answer = try #require(ask(coding.map { ["accept-encoding": $0] } ?? [:]))
        #expect(answer.field("Content-Encoding") == nil)
        #expect(answer.text == "hello\n")
        #expect(answer.field("Content-Type") == "text/html; charset=utf-8")
    }

    @Test func `a page loads nothing from elsewhere, and nobody guesses what it is`() throws {
        let answer = try #require(ask([:]))
        #expect(answer.field("Content-Security-Policy")?.hasPrefix("default-src 'self';") == true)
        #expect(answer.field("X-Content-Type-Options") == "nosniff")
    }

    @Test(arguments: [etag, "W/" + etag, "\"x\", " + etag])
    func `a client that has the file gets no bytes`(known: String) throws {
        let answer = try #require(ask(["if-none-match": known]))
        #expect(answer.status == 304)
        #expect(answer.field("ETag") == Self.etag)
        #expect(answer.text == "")
        #expect(try #require(ask(["if-none-match": "\"x\""])).status == 200)
    }

    @Test func `there is no other file`() { #expect(ask([:], path: "/etc/passwd") == nil) }
}
