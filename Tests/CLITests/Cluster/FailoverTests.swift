// SPDX-License-Identifier: Apache-2.0

import ClusterTorture
import GatehouseHostTesting
import Testing

/// What operators see of a failover.
@Suite(
    .enabled(if: ClusterCase.canRun, "redis-server is not installed"), .serialized,
    .timeLimit(.minutes(30)))
struct FailoverTests {
    @Test
    func `a member tells which Redis it writes to, before Sentinels replace it, meanwhile and afterwards`()
        throws
    {
        // Long enough that there is a time in which operators ask.
        let redis = try ReplicatedRedis(replacedAfter: 10_000)
        var terms = ClusterScene.Terms()
        (terms.lease, terms.replicas) = (5, 1)
        let scene = try ClusterScene(redis, terms)
        let member = try scene.member("a")
        try member.startListening()
        try member.waitFor("cluster: has 8 of 8 partitions, 1 member\n")
        let before = try redis.primary()
        let address = "redis://127.0.0.1:\(before.port)"
        let first = try member.call("ctl", "status").output
        #expect(first.contains(" s, 1 replica must confirm\n"), "\(first)")
        #expect(first.contains("\nwrites to \(address) for "), "\(first)")
        let page = try member.call("ctl", "top", "--once").output
        #expect(page.contains(" of 8 partitions here\nwrites to \(address) for "), "\(page)")
        let whole = try member.call("ctl", "cluster").output
        #expect(whole.contains("\nengine \(address), 2 replicas\n  127.0.0.1:"), "\(whole)")

        try before.server.kill()
        try member.waitFor("cluster: the engine cannot be reached: ")
        let during = try member.call("ctl", "status").output
        #expect(during.contains(", not ready: the engine cannot be reached: "), "\(during)")
        #expect(during.contains("\nwrites to \(address) for "), "\(during)")

        try member.waitFor(" has taken the place of \(address), and has everything that this member knew\n")
        try member.waitFor("cluster: the engine answers again after ")
        let next = "redis://127.0.0.1:\(try redis.primary(after: before).port)"
        let after = try member.call("ctl", "status").output
        #expect(after.contains("\nwrites to \(next) for "), "\(after)")
        #expect(after.contains(", in place of \(address), 1 replica must confirm\n"), "\(after)")
        let metrics = try member.call("ctl", "metrics").output
        #expect(
            metrics.contains(
                "gatehouse_cluster_engine_info{host=\"a\",cluster=\"torture\",address=\"\(next)\"} 1\n"),
            "\(metrics)")
        // The command asks Sentinels as well, whether or not a member runs.
        try member.stop()
        let alone = try member.call("cluster", "status").output
        #expect(alone.contains("\nengine \(next), 1 replica\n  127.0.0.1:"), "\(alone)")
        let place = try member.call("cluster", "where", "k1")
        #expect(place.exitCode == 0, "\(place.errors)")
    }

    @Test func `partitions whose lease outlasts a failover continue from their checkpoints`() throws {
        let redis = try ReplicatedRedis()
        var terms = ClusterScene.Terms()
        (terms.lease, terms.replicas) = (60, 1)
        let scene = try ClusterScene(redis, terms)
        let member = try scene.member("a")
        try member.startListening()
        try member.waitFor("cluster: has 8 of 8 partitions, 1 member\n")
        try redis.primary().server.kill()
        let writer = try LocalConnection(member.socket)
        writer.write(#"{"type":"passbook/enter","payload":{"key":"k1","writer":"w","number":1}}"# + "\n")
        try member.waitFor(
            "cluster: 8 partitions dropped, because actions may have been read that no replica had; they continue from the last checkpoints\n"
        )
        #expect(writer.readLine() == #"{"ok":1}"#)
        try scene.waitUntilDone()
        #expect(try member.stop().exitCode == 0)
    }
}
