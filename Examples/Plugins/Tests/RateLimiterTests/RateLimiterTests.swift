// SPDX-License-Identifier: Apache-2.0

import GatehouseTesting
import Testing

@testable import RateLimiter

@Suite struct RateLimiterTests {
    /// Two requests in ten seconds, from a moment that is easy to read.
    private func limiter() throws -> TestStore<RateLimiter.Action, RateLimiter.State> {
        try TestStore(
            RateLimiter.self, settings: ["most": 2, "seconds": 10], services: TestServices(unixTime: 1_000))
    }

    @Test func `what is above the limit is refused, also of requests in a row`() async throws {
        let store = try limiter()
        try store.send(.request(client: "a")) { $0.windows["a"] = .init(start: 1_000, count: 1) }
        try store.send(.request(client: "a")) { $0.windows["a"]?.count = 2 }
        store.advance(by: .seconds(4))
        try store.send(.request(client: "a"))
        try await store.receive(.refused(client: "a", seconds: 6))
        try store.send(.request(client: "b")) { $0.windows["b"] = .init(start: 1_004, count: 1) }
        try await store.finish()
    }

    @Test func `a new window begins when the old one is over, and those of others are forgotten`() throws {
        let store = try limiter()
        try store.send(.request(client: "b")) { $0.windows["b"] = .init(start: 1_000, count: 1) }
        store.advance(by: .seconds(10))
        try store.send(.request(client: "a")) { $0.windows = ["a": .init(start: 1_010, count: 1)] }
    }

    @Test func `the manifest says what the plugin does`() throws {
        try RateLimiter.checkManifest(at: "Sources/RateLimiter/plugin.json")
    }
}
