// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

/// What names a Redis.
@Suite(.timeLimit(.minutes(10))) struct RedisAddressTests {
    @Test func `an address is a socket, or a host with or without a port`() {
        #expect(RedisAddress("redis+unix:/run/redis.sock") == .unix(path: "/run/redis.sock"))
        #expect(RedisAddress("redis://cache") == .tcp(host: "cache", port: 6_379))
        #expect(RedisAddress("redis://127.0.0.1:7000") == .tcp(host: "127.0.0.1", port: 7_000))
        #expect(RedisAddress("redis://[::1]:7000") == .tcp(host: "::1", port: 7_000))
        #expect(RedisAddress("redis://[::1]") == .tcp(host: "::1", port: 6_379))
    }

    @Test func `a user stands before the host, and before the path after two slashes`() {
        #expect(RedisAddress("redis://gh@cache") == .tcp(host: "cache", port: 6_379, user: "gh"))
        #expect(RedisAddress("redis://gh@[::1]:7000") == .tcp(host: "::1", port: 7_000, user: "gh"))
        #expect(RedisAddress("redis+unix://gh@/run/a@b") == .unix(path: "/run/a@b", user: "gh"))
        #expect(RedisAddress("redis+unix:gh@/run") == .unix(path: "gh@/run"))
        #expect(RedisAddress("redis+unix://run/redis.sock") == .unix(path: "//run/redis.sock"))
    }

    @Test func `Sentinels stand one after the other, and the name of their server after a slash`() {
        let ports = [
            RedisAddress.Port(host: "a", number: 26_379), .init(host: "::1", number: 7),
            .init(host: "b", number: 5),
        ]
        #expect(
            RedisAddress("redis-sentinel://gh@a,[::1]:7,b:5/shop")
                == RedisAddress(place: .sentinels(ports, name: "shop"), user: "gh", isEncrypted: false))
        #expect(RedisAddress("rediss-sentinel://a/shop")?.isEncrypted == true)
    }

    @Test func `rediss is encrypted`() {
        #expect(
            RedisAddress("rediss://gh@cache:7000")
                == .tcp(host: "cache", port: 7_000, user: "gh", isEncrypted: true))
        #expect(RedisAddress("rediss://cache")?.isEncrypted == true)
        #expect(RedisAddress("redis://cache")?.isEncrypted == false)
    }

    @Test(arguments: [
        "redis+unix:/run/redis.sock", "redis+unix://gh@/run/redis.sock", "redis://cache:7000",
        "rediss://gh@[::1]:7000", "redis-sentinel://a:1,[::1]:2/shop", "rediss-sentinel://gh@a:1/shop",
    ])
    func `an address is told as it is written`(text: String) {
        #expect(RedisAddress(text)?.description == text)
    }

    @Test(arguments: [
        "redis://u:p@a", "redis://:p@a", "rediss://u:p@a:1", "redis//u:p@a", "u:p@a", "redis://u:p@q@a",
        "redis+unix://u:p@/run/redis.sock", "redis://a?password=p", "redis://a/0?user=u&password=p",
    ])
    func `an address with a password is none, and known for it`(text: String) {
        #expect(RedisAddress(text) == nil)
        #expect(RedisAddress.hasPassword(text))
    }

    @Test(arguments: ["redis://@a", "redis://u@", "redis://a/b@c", "redis+unix://u@run", "redis://a b@c"])
    func `a user needs a name and a place to come to`(text: String) {
        #expect(RedisAddress(text) == nil)
        #expect(!RedisAddress.hasPassword(text))
    }

    @Test(arguments: [
        "", "redis:", "redis+unix:", "redis://", "redis://:1", "redis://a:0", "redis://a:x", "redis://a?b",
        "http://a", "redis://a,b", "redis://a:1,b:2", "redis-sentinel://a", "redis-sentinel://a/",
        "redis-sentinel:///b", "redis-sentinel://a,/b", "redis-sentinel://a:0/b", "redis-sentinel://a/b c",
    ])
    func `anything else is none`(text: String) {
        #expect(RedisAddress(text) == nil)
    }
}
