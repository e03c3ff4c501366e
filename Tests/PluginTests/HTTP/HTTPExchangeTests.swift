// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HTTPPlugin

/// Bodies that are too long, or for which there is no room, on connections that are never touched.
@Suite(.timeLimit(.minutes(10))) struct HTTPExchangeTests {
    /// An exchange of a client of network `a`.
    private func exchange(
        atMost most: Int, _ budget: BodyBudget, length: String? = nil
    ) throws -> HTTPExchange {
        var request = HTTPRequest(method: "POST", path: "/")
        request.network = "a"
        request.fields = HeaderFields(length.map { ["content-length": $0] } ?? [:])
        let connection = unsafe try #require(unsafe OpaquePointer(bitPattern: 8))
        return unsafe HTTPExchange(request, on: connection, atMost: most, budget) { _ in
            .refusal(500, "it is not asked")
        }
    }

    /// Brings a piece of a body.
    private func append(_ count: Int, to exchange: HTTPExchange) -> Bool {
        unsafe [UInt8](repeating: 1, count: count).withUnsafeBytes { unsafe exchange.append($0) }
    }

    @Test func `a body has at most its length, and one that is longer is told so at its end`() throws {
        let exchange = try exchange(atMost: 10, BodyBudget(100))
        #expect(append(4, to: exchange))
        #expect(append(6, to: exchange))
        #expect(exchange.answer == nil)
        #expect(append(1, to: exchange))
        #expect(!exchange.isBegun)
        #expect(!exchange.begin())
        #expect(exchange.isBegun)
        #expect(exchange.answer?.status == 413)
        #expect(
            exchange.answer?.text
                == "{\"error\":\"expected at most 10 bytes, found more; send less at once\"}\n")
        exchange.finish(.refusal(500, "late"))
        #expect(exchange.answer?.status == 413)
    }

    @Test func `a client that goes on for a mebibyte past the end is cut off`() throws {
        let exchange = try exchange(atMost: 10, BodyBudget(100))
        #expect(append(11, to: exchange))
        #expect(append((1 << 20) - 11, to: exchange))
        #expect(!append(1, to: exchange))
        let larger = try self.exchange(atMost: 2 << 20, BodyBudget(8 << 20))
        #expect(append(2 << 20 + 1, to: larger) == false)
        let large = try self.exchange(atMost: 2 << 20, BodyBudget(2 << 20))
        // No room for it, and as many bytes are read as it might have.
        #expect(append(2 << 20, to: large))
        #expect(!append(1, to: large))
        #expect(!large.begin())
        #expect(large.answer?.status == 503)
    }

    @Test func `room is taken as the body grows, at most what was promised, and given back in the end`()
        throws
    {
        let budget = BodyBudget(200)
        var first: HTTPExchange? = try exchange(atMost: 1_000, budget, length: "70")
        func left() -> Int {
            (0...100).last { count in
                guard budget.take(count, for: "a") else { return false }
                budget.giveBack(count, for: "a")
                return true
            } ?? -1
        }
        #expect(left() == 100)
        if let first {
            #expect(append(40, to: first))
            #expect(left() == 60)
            // Twice as many, but no more than 70.
            #expect(append(1, to: first))
            #expect(left() == 30)
            #expect(append(29, to: first))
            #expect(left() == 30)
        }
        let second = try exchange(atMost: 1_000, budget, length: "1000")
        #expect(append(20, to: second))
        #expect(left() == 10)
        // There is not as much as it would like, but as it needs.
        #expect(append(10, to: second))
        #expect(left() == 0)
        #expect(append(1, to: second))
        #expect(!second.begin())
        #expect(second.answer?.status == 503)
        first = nil
        #expect(left() == 70)
    }

    @Test func `what is answered before its body has come stays answered`() throws {
        let exchange = try exchange(atMost: 10, BodyBudget(100))
        exchange.finish(.refusal(503, "the server ends"))
        #expect(append(4, to: exchange))
        #expect(!exchange.begin())
        #expect(exchange.answer?.status == 503)
    }
}
