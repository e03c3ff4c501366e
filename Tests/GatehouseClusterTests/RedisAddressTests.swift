// SPDX-License-Identifier: Apache-2.0

import GatehouseCluster
import Testing

/// What names a Redis.
@Suite struct RedisAddressTests {
    @Test func `an address is a socket, or a host with or without a port`() {
        #expect(RedisAddress("redis+unix:/run/redis.sock") == .unix(path: "/run/redis.sock"))
        #expect(RedisAddress("redis://cache") == .tcp(host: "cache", port: 6_379))
        #expect(RedisAddress("redis://127.0.0.1:7000") == .tcp(host: "127.0.0.1", port: 7_000))
        #expect(RedisAddress("redis://[::1]:7000") == .tcp(host: "::1", port: 7_000))
        #expect(RedisAddress("redis://[::1]") == .tcp(host: "::1", port: 6_379))
    }

    @Test(arguments: [
        "", "redis:", "redis+unix:", "redis://", "redis://:1", "redis://a:0", "redis://a:x", "redis://u:p@a",
        "http://a",
    ])
    func `anything else is none`(text: String) {
        #expect(RedisAddress(text) == nil)
    }
}
