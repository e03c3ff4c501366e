// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import GatehouseCluster

/// What a server says about itself, and which servers are refused for it.
@Suite(.timeLimit(.minutes(10))) struct RedisFactsTests {
    private let address = RedisAddress.tcp(host: "10.0.0.6", port: 6_379)

    /// The facts of a server of a version and a mode.
    private func facts(_ version: String, _ mode: String = "standalone", _ more: String = "role:master\r\n")
        -> RedisFacts
    {
        RedisFacts("# Server\r\nredis_version:\(version)\r\nredis_mode:\(mode)\r\nrun_id:8a\r\n", more)
    }

    @Test(arguments: ["7.0.15", "7.2.4", "8.0.1"])
    func `a primary of version 7 or later is fit`(version: String) {
        #expect(facts(version).objection(at: address) == nil)
        #expect(facts(version).run == "8a")
    }

    @Test(arguments: [
        ("6.2.14", "standalone", "redis://10.0.0.6:6379 is Redis 6.2.14, and a cluster needs 7 or later"),
        ("", "standalone", "redis://10.0.0.6:6379 is Redis , and a cluster needs 7 or later"),
        (
            "7.0.15", "cluster",
            "redis://10.0.0.6:6379 runs in Redis Cluster mode, in which another server may get the keys while members write; name a Redis with cluster-enabled no"
        ),
    ])
    func `an old one, and one in Redis Cluster mode, is refused`(
        version: String, mode: String, sentence: String
    ) {
        #expect(facts(version, mode).objection(at: address) == .refused(sentence))
    }

    @Test(arguments: [("standalone", nil), ("cluster", "runs in Redis Cluster mode, ")])
    func `Valkey is known by the names that it gives its facts`(mode: String, part: String?) throws {
        let facts = RedisFacts(
            "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nserver_mode:\(mode)\r\nrun_id:8a\r\n",
            "role:master\r\n")
        let objection = facts.objection(at: address)
        guard let part else { return #expect(objection == nil) }
        #expect("\(try #require(objection))".contains(part))
    }

    @Test func `what does not report a run is no Redis`() {
        #expect(
            RedisFacts("hello").objection(at: address)
                == .refused("redis://10.0.0.6:6379 did not report its run_id; is it a Redis?"))
    }

    @Test func `a replica is refused with the address of its primary`() {
        let replica = "role:slave\r\nmaster_host:10.0.0.5\r\nmaster_port:6379\r\n"
        #expect(
            facts("7.0.15", "standalone", replica).objection(at: address)
                == .denied(
                    "redis://10.0.0.6:6379 is a replica of 10.0.0.5:6379; name that one by \"engine\", or the Sentinels that watch both"
                ))
    }

    @Test func `replicas are told with what they lack`() {
        let text = """
            role:master
            connected_slaves:3
            slave0:ip=10.0.0.6,port=6379,state=online,offset=100,lag=0
            slave1:ip=10.0.0.7,port=6380,state=wait_bgsave,offset=0,lag=4
            slave2:what
            master_repl_offset:112
            """
        #expect(
            RedisFacts(text).replicas == [
                .init(address: "10.0.0.6:6379", isOnline: true, behind: 12, silence: .zero),
                .init(address: "10.0.0.7:6380", isOnline: false, behind: 112, silence: .seconds(4)),
                .init(address: "?:?", isOnline: false, behind: 112, silence: .zero),
            ])
    }

    @Test func `no more replicas are told than the server counts`() {
        let text = """
            connected_slaves:1
            slave0:ip=10.0.0.6,port=6379,state=online
            slave1:ip=10.0.0.7,port=6379,state=online
            """
        #expect(RedisFacts(text).replicas.map(\.address) == ["10.0.0.6:6379"])
    }

    @Test(arguments: [
        "connected_slaves:-1", "connected_slaves:99999999999999999999", "connected_slaves:2\nslave1:",
        "connected_slaves:1\nslave0:offset=-9223372036854775808\nmaster_repl_offset:9223372036854775807",
    ])
    func `senseless answers are no replicas that anybody counts`(text: String) {
        #expect(RedisFacts(text).replicas.allSatisfy { !$0.isOnline })
    }
}
