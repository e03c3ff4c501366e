// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting
import Testing

@testable import GatehouseCluster

/// Writes that count only when replicas have them.
@Suite(
    .enabled(if: RedisServer.isInstalled, "redis-server is not installed"),
    .timeLimit(.minutes(10)))
struct RedisReplicaTests {
    /// A server that others can copy, and its port.
    private func primary() throws -> (server: RedisServer, port: String) {
        let port = "\(try LocalPort.free())"
        return (
            try RedisServer("--port", port, "--bind", "127.0.0.1", "--repl-diskless-sync-delay", "0"), port
        )
    }

    /// A replica that is up to date.
    private func replica(of server: RedisServer, at port: String) throws -> RedisServer {
        let replica = try RedisServer("--replicaof", "127.0.0.1", port)
        try server.waitForReplicas(1)
        return replica
    }

    /// A cluster whose writes wait for replicas.
    private func cluster(_ server: RedisServer, _ replicas: Int = 1) -> RedisCluster {
        RedisCluster(
            server.access, name: "shop", partitions: 4, replicas: replicas, patience: .seconds(1),
            pause: .zero)
    }

    /// An action for partition 1.
    private func batch(_ number: UInt8) -> ClusterBatch {
        var batch = ClusterBatch()
        batch.add([number], to: 1, from: ClusterOrigin(source: "in", sequence: UInt64(number)))
        return batch
    }

    @Test func `nobody joins while there are too few replicas, and the sentence says how many`() throws {
        let (server, port) = try primary()
        let place = "\(server.address)"
        #expect(
            throws: ClusterFailure.lost(
                "0 of the 1 replica that must keep what \(place) confirms have it after 0.5 s; start them, or lower \"replicas\""
            )
        ) { _ = try cluster(server).connect() }
        let replica = try replica(of: server, at: port)
        try cluster(server).connect().join(ClusterPresence(name: "a", life: "1"))
        #expect(
            throws: ClusterFailure.lost(
                "1 of the 2 replicas that must keep what \(place) confirms have it after 0.5 s; start them, or lower \"replicas\""
            )
        ) { _ = try cluster(server, 2).connect() }
        try replica.kill()
    }

    @Test func `what is confirmed is there when the replica takes the place of its server`() throws {
        let (server, port) = try primary()
        let replica = try replica(of: server, at: port)
        let member = ClusterPresence(name: "a", life: "1")
        let engine = try cluster(server).connect()
        try engine.join(member)
        _ = try engine.renew(member, for: .seconds(60))
        _ = try engine.acquire(1, for: "a", after: 0)
        for number in 1...50 { try engine.append(batch(UInt8(number))) }
        let checkpoint = ClusterCheckpoint(
            partition: 1, member: "a", epoch: 1, offset: .init(1, 0), slices: ["eu": [7]])
        #expect(try engine.checkpoint(checkpoint) == nil)
        try server.kill()
        try replica.call("REPLICAOF", "NO", "ONE")
        let next = try cluster(replica, 0).connect()
        try next.join(member)
        #expect(try next.actions(of: 1) == (1...50).map { [UInt8($0)] })
        #expect(
            try next.acquire(1, for: "a", after: 1)
                == .granted(epoch: 2, offset: .init(1, 0), slices: ["eu": [7]], attempts: 1))
    }

    /// What providers keep for themselves.
    private static let withheld = [
        "BGREWRITEAOF", "BGSAVE", "CONFIG", "DEBUG", "MIGRATE", "SAVE", "SHUTDOWN",
    ]

    @Test
    func `a managed Redis, whose one address leads to the promoted replica, keeps all that it confirmed`()
        throws
    {
        let withheld = Self.withheld.flatMap { ["--rename-command", $0, ""] }
        let ports = try (0..<2).map { _ in "\(try LocalPort.free())" }
        let open = ["--bind", "127.0.0.1", "--repl-diskless-sync-delay", "0"]
        let server = try RedisServer(options: ["--port", ports[0]] + open + withheld)
        let replicas = try [["--port", ports[1]], []].map { place in
            try RedisServer(options: place + open + ["--replicaof", "127.0.0.1", ports[0]] + withheld)
        }
        try server.waitForReplicas(2)
        let proxy = try ConnectionProxy(at: nil, to: server.socket)
        let cluster = RedisCluster(
            RedisAccess(try #require(RedisAddress(proxy.url))), name: "shop", partitions: 4, replicas: 1,
            patience: .seconds(1), pause: .zero)
        let member = ClusterPresence(name: "a", life: "1")
        let engine = try cluster.connect()
        try engine.join(member)
        for number in 1...50 { try engine.append(batch(UInt8(number))) }
        try server.kill()
        try replicas[0].call("REPLICAOF", "NO", "ONE")
        try replicas[1].call("REPLICAOF", "127.0.0.1", ports[1])
        try replicas[0].waitForReplicas(1)
        proxy.lead(to: replicas[0].socket)
        let next = try cluster.connect()
        for number in 51...60 { try next.append(batch(UInt8(number))) }
        #expect(try next.actions(of: 1) == (1...60).map { [UInt8($0)] })
        #expect(try next.survey().partitions[1].lag == 60)
    }

    @Test func `what too few replicas have is not confirmed, and appended once more by the next connection`()
        throws
    {
        let (server, port) = try primary()
        let replica = try replica(of: server, at: port)
        let cluster = cluster(server)
        let engine = try cluster.connect()
        try engine.join(ClusterPresence(name: "a", life: "1"))
        try engine.append(batch(1))
        replica.pause()
        #expect(throws: ClusterFailure.self) { try engine.append(batch(2)) }
        #expect(cluster.confirmed.promise.floors[1].entry < (try last(of: server)))
        replica.resume()
        try server.waitForReplicas(1)
        let next = try cluster.connect()
        try next.append(batch(2))
        // With the same origin, by which the partition drops it.
        #expect(try next.actions(of: 1) == [[1], [2], [2]])
    }

    @Test func `what was read before any replica had it may be missing after a failover, and is not missed`()
        throws
    {
        let (server, port) = try primary()
        let replica = try replica(of: server, at: port)
        let cluster = cluster(server)
        let (writer, reader) = (try cluster.connect(), try cluster.connect())
        try writer.join(ClusterPresence(name: "a", life: "1"))
        try writer.append(batch(1))
        let confirmed = try last(of: server)
        replica.pause()
        #expect(throws: ClusterFailure.self) { try writer.append(batch(2)) }
        #expect(try reader.actions(of: 1) == [[1], [2]])
        #expect(cluster.confirmed.promise.floors[1].entry == confirmed)
        replica.resume()
    }

    @Test func `a renewal that no replica has is none, and what it says about others is not missed`() throws {
        let (server, port) = try primary()
        let replica = try replica(of: server, at: port)
        let (cluster, other) = (cluster(server), cluster(server))
        let (a, b) = (ClusterPresence(name: "a", life: "1"), ClusterPresence(name: "b", life: "1"))
        let (engine, second) = (try cluster.connect(), try other.connect())
        for member in [a, b] { try engine.join(member) }
        _ = try engine.renew(a, for: .seconds(60))
        replica.pause()
        #expect(throws: ClusterFailure.self) { _ = try second.acquire(1, for: "a", after: 0) }
        #expect(throws: ClusterFailure.self) { _ = try engine.renew(b, for: .seconds(60)) }
        #expect(cluster.confirmed.epochs == [0, 0, 0, 0])
        replica.resume()
        try server.waitForReplicas(1)
        _ = try cluster.connect().renew(b, for: .seconds(60))
        #expect(cluster.confirmed.epochs == [0, 1, 0, 0])
    }

    @Test func `a replica is not taken for a Redis that members can write to`() throws {
        let (server, port) = try primary()
        let replica = try replica(of: server, at: port)
        let sentence = ClusterFailure.denied(
            "\(replica.address) is a replica of 127.0.0.1:\(port); name that one by \"engine\", or the Sentinels that watch both"
        )
        #expect(throws: sentence) { _ = try cluster(replica, 0).connect() }
        #expect(throws: sentence) {
            _ = try RedisMaintainer(replica.access, name: "shop", patience: .seconds(1))
        }
    }

    @Test func `a Redis in Cluster mode is refused`() throws {
        let (port, other) = (try LocalPort.free(), try LocalPort.free())
        let server = try RedisServer(
            "--port", "\(port)", "--cluster-port", "\(other)", "--cluster-enabled", "yes")
        #expect(
            throws: ClusterFailure.refused(
                "\(server.address) runs in Redis Cluster mode, in which another server may get the keys while members write; name a Redis with cluster-enabled no"
            )
        ) { _ = try cluster(server, 0).connect() }
    }

    @Test func `operators learn from the server how far its replicas are`() throws {
        let (server, port) = try primary()
        let replica = try replica(of: server, at: port)
        let engine = try cluster(server).connect()
        try engine.join(ClusterPresence(name: "a", life: "1"))
        let found = try #require(try engine.survey().server)
        #expect(found.address == "\(server.address)")
        #expect(found.replicas.map(\.isOnline) == [true])
        try replica.kill()
        while try engine.survey().server?.replicas != [] {}
    }

    /// The newest entry of partition 1.
    private func last(of server: RedisServer) throws -> ClusterOffset {
        let words = try server.call("XINFO", "STREAM", "{gatehouse:shop}:in:1").split(separator: "\n")
        let place = try #require(words.firstIndex(of: "last-generated-id"))
        return try #require(ClusterOffset(words[place + 1]))
    }
}
