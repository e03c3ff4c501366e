// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPPlugin

/// Files that are embedded, as browsers and others get them.
@Suite(.timeLimit(.minutes(10))) struct ConsoleRouteTests {
    /// `hello` and a line break, as gzip writes it.
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0xE7, 0x02,
        0x00,
        0x20, 0x30, 0x3A, 0x36, 0x06, 0x00, 0x00, 0x00,
    ]

    private let route = ConsoleRoute([
        ConsoleFile(path: "/", type: "text/html; charset=utf-8", gzip: gzip, etag: "\"abc\"")
    ])

    private func ask(_ fields: [String: String], path: String = "/") -> HTTPResponse? {
        route.answer(HTTPRequest(method: "GET", path: path, fields: HeaderFields(fields)))
    }

    @Test(arguments: ["gzip", "br, gzip;q=0.5", "gzip, deflate"])
    func `who takes gzip gets the bytes that are embedded`(coding: String) throws {
        let answer = try #require(ask(["accept-encoding": coding]))
        #expect(answer.field("Content-Encoding") == "gzip")
        guard case .bytes(Self.gzip) = answer.body else {
            Issue.record("expected the embedded bytes")
            return
        }
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

    @Test(arguments: ["\"abc\"", "W/\"abc\"", "\"x\", \"abc\""])
    func `who has the file is told so`(known: String) throws {
        let answer = try #require(ask(["if-none-match": known]))
        #expect(answer.status == 304)
        #expect(answer.field("ETag") == "\"abc\"")
        #expect(answer.text == "")
        #expect(try #require(ask(["if-none-match": "\"x\""])).status == 200)
    }

    @Test func `there is no other file`() { #expect(ask([:], path: "/etc/passwd") == nil) }

    @Test func `what is damaged gives nothing`() {
        #expect(ConsoleRoute.inflated(Array(Self.gzip.dropLast(9))) == nil)
        #expect(ConsoleRoute.inflated([1, 2, 3]) == nil)
    }
}
