// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Testing

@testable import HTTPPlugin

@Suite(.timeLimit(.minutes(10))) struct HTTPResponseTests {
    /// The fields of an answer, one line each.
    private func lines(_ answer: HTTPResponse) -> [String] { answer.fields.map { "\($0.name): \($0.value)" } }

    private static let rest = ["X-Content-Type-Options: nosniff", "Cache-Control: no-store"]

    @Test func `a value is JSON on a line, that nobody guesses at and nobody keeps`() {
        let answer = HTTPResponse(201, ["a": 1], [("X-More", "b")])
        #expect(answer.status == 201)
        #expect(answer.text == "{\"a\":1}\n")
        #expect(lines(answer) == ["Content-Type: application/json"] + Self.rest + ["X-More: b"])
    }

    @Test func `bytes are as they are, with fields of their own or those of all`() {
        let own = HTTPResponse(304, fields: [("ETag", "\"a\"")], [1, 2])
        #expect(own.status == 304)
        #expect(lines(own) == ["ETag: \"a\""])
        #expect(own.text == "\u{1}\u{2}")
        let typed = HTTPResponse(200, type: "text/plain", Array("x".utf8))
        #expect(lines(typed) == ["Content-Type: text/plain"] + Self.rest)
        #expect(typed.text == "x")
    }

    @Test func `a refusal has its reason, and one that may pass says when to come again`() {
        let refusal = HTTPResponse.refusal(404, "none")
        #expect(refusal.status == 404)
        #expect(refusal.text == "{\"error\":\"none\"}\n")
        let later = HTTPResponse.later("busy")
        #expect(later.status == 503)
        #expect(later.text == "{\"error\":\"busy\"}\n")
        #expect(later.field("Retry-After") == "1")
    }
}
