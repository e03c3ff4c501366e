// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

@Suite(.timeLimit(.minutes(10))) struct RedisKeysTests {
    @Test func `all keys have one tag`() {
        let keys = RedisKeys(cluster: "shop")
        let all = [
            keys.pattern, keys.shape, keys.leases, keys.members, keys.draining, keys.titles, keys.added,
            keys.turn, keys.reload, keys.dead, keys.stream(7), keys.state(8),
        ]
        let names = [
            "*", "shape", "leases", "members", "draining", "titles", "added", "turn", "reload", "dead",
            "in:7",
            "state:8",
        ]
        #expect(all == names.map { ($0 == "*" ? "~" : "") + "{gatehouse:shop}:" + $0 })
        #expect(RedisKeys(prefix: "p").shape == "p:shape")
    }

    @Test func `a title is an epoch and a name`() {
        #expect(RedisKeys.text(.init(owner: "host a", epoch: 3)) == "3 host a")
        #expect(RedisKeys.text(.init(owner: nil, epoch: 0)) == "0 ")
        #expect(RedisKeys.title("3 host a") == .init(owner: "host a", epoch: 3))
        #expect(RedisKeys.title("3 ") == .init(owner: nil, epoch: 3))
        #expect(RedisKeys.title("3") == .init(owner: nil, epoch: 3))
        #expect(RedisKeys.title("") == .init(owner: nil, epoch: 0))
        #expect(RedisKeys.title("x a") == .init(owner: "a", epoch: 0))
        #expect(RedisKeys.title("-1 a") == .init(owner: "a", epoch: 0))
        #expect(RedisKeys.title("2147483648 a") == .init(owner: "a", epoch: 1 << 31))
        #expect(RedisKeys.title("2147483649 a") == .init(owner: "a", epoch: 0))
    }

    @Test func `titles are read by partition, and those of others are left out`() {
        func text(_ text: String) -> RedisReply { .bytes(Array(text.utf8)) }
        let reply = RedisReply.array([
            text("1"), text("4 a"), text("2"), text("5 b"), text("-1"), text("6 c"), text("x"), text("7 d"),
            text("0"), .integer(3), text("1"),
        ])
        #expect(
            RedisKeys.titles(reply, partitions: 2)
                == [.init(owner: nil, epoch: 0), .init(owner: "a", epoch: 4)])
        #expect(
            RedisKeys.titles(.array([text("0"), text("9 z")]), partitions: 1) == [.init(owner: "z", epoch: 9)]
        )
        #expect(RedisKeys.titles(.none, partitions: 2) == [.init(), .init()])
    }

    @Test func `a presence is read as it was written`() {
        let whole = ClusterPresence(
            name: "a", life: "k3", digest: "d", version: "1.2 beta 3", process: 7, started: 12.5)
        #expect(RedisKeys.text(whole) == "k3 7 12.5 d 1.2 beta 3")
        #expect(RedisKeys.presence("a", RedisKeys.text(whole)) == whole)
        let empty = ClusterPresence(name: "a", life: "k3")
        #expect(RedisKeys.text(empty) == "k3 0 0.0 - ")
        #expect(RedisKeys.presence("a", RedisKeys.text(empty)) == empty)
        #expect(RedisKeys.presence("a", "k3 7 12.5 d") == ClusterPresence(name: "a", life: "k3 7 12.5 d"))
        #expect(
            RedisKeys.presence("a", "k3 x y - v") == ClusterPresence(name: "a", life: "k3", version: "v"))
    }
}
