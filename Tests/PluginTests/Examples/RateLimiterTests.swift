// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization
import Testing

/// What the example of an interceptor with a state of its own does.
@Suite final class RateLimiterTests: Sendable {
    private let time = Mutex(1_000.0)

    private func limiter() throws -> PluginHarness {
        try PluginHarness(
            exports: { PluginEntry.exports(of: RateLimiter.self) }, settings: ["most": 2, "seconds": 10],
            granted: ["clock"], time: { self.time.withLock { $0 } })
    }

    private func request(_ limiter: PluginHarness, _ client: String = "a") {
        limiter.send("request", ["client": .string(client)])
    }

    @Test func `what is above the limit is refused, also of requests in a row`() throws {
        let limiter = try limiter()
        for client in ["a", "a", "a", "b"] { request(limiter, client) }
        #expect(limiter.actions.map(\.action.type.name) == ["request", "request", "refused", "request"])
        #expect(try limiter.actions[2].action.wireForm()["error"] == true)
        #expect(try limiter.state?["windows"]?["a"] == ["start": 1000, "count": 2])
    }

    @Test func `a new window begins when the old one is over, and those of others are forgotten`() throws {
        let limiter = try limiter()
        for client in ["a", "a", "b"] { request(limiter, client) }
        time.withLock { $0 = 1_010 }
        request(limiter)
        #expect(limiter.actions.count == 4)
        #expect(try limiter.state == ["windows": ["a": ["start": 1010, "count": 1]]])
    }
}
