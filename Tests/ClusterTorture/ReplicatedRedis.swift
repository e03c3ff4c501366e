// SPDX-License-Identifier: Apache-2.0

package import GatehouseHostTesting
internal import Glibc

/// A Redis with two replicas and three Sentinels, each server behind a network of its own: everyone reaches it there alone. Set up as
/// Scaling.md recommends. Not thread-safe.
package final class ReplicatedRedis {
    /// A server, and the network in front of it.
    package struct Node {
        /// The server.
        package let server: RedisServer
        /// The network between it and everyone else, the other servers included.
        package let network: ConnectionProxy
        /// Its number, which is that of the Sentinel on its machine.
        package let number: Int
        /// The port where everyone finds it.
        package let port: Int
    }

    /// The servers, whichever is the primary.
    package let nodes: [Node]
    /// The Sentinels, which know each other.
    package let sentinels: [RedisSentinel]

    /// The name by which the Sentinels know the Redis.
    private static let name = "torture"
    /// What replicas and Sentinels send at the beginning of their connections, and members do not.
    private static let peers = ["REPLCONF", "sentinel-"]

    /// Starts everything; returns when each replica is in sync, and each Sentinel could promote both.
    ///
    /// - Parameter down: how many milliseconds the primary may be silent before Sentinels replace it; nil for what Scaling.md recommends.
    package init(replacedAfter down: Int? = nil) throws {
        var times = RedisSentinel.Times.recommended
        times.down = down ?? times.down
        nodes = try (0..<3).map { try Self.node($0) }
        for node in nodes.dropFirst() {
            try node.server.call("REPLICAOF", "127.0.0.1", "\(nodes[0].port)")
            try node.server.call("CONFIG", "REWRITE")
        }
        try nodes[0].server.waitForReplicas(2)
        let primary = nodes[0].port
        sentinels = try (0..<3).map { _ in
            try RedisSentinel(of: Self.name, at: primary, quorum: 2, times)
        }
        for sentinel in sentinels { try sentinel.wait(forOthers: 2) }
        try waitUntilWhole()
    }

    /// Starts a server behind a network.
    private static func node(_ number: Int) throws -> Node {
        // The socket's path is known only once the server has a folder, and its options name the network's port.
        let folder = try TemporaryFolder()
        let network = try ConnectionProxy(at: nil, to: folder("redis.sock"))
        guard let port = network.port else { throw ClusterScene.TimedOut(description: "no port") }
        let server = try RedisServer(
            options: [
                "--replica-announce-ip", "127.0.0.1", "--replica-announce-port", "\(port)",
                "--min-replicas-to-write", "1", "--min-replicas-max-lag", "3", "--repl-diskless-sync-delay",
                "0",
            ], durability: .always, in: folder, isRewritable: true)
        return Node(server: server, network: network, number: number, port: port)
    }

    /// The address for members, as a configuration names it.
    package var url: String {
        "redis-sentinel://\(sentinels.map { "127.0.0.1:\($0.port)" }.joined(separator: ","))/\(Self.name)"
    }

    /// The server that a Sentinel names as the primary; others may not have heard of it yet.
    ///
    /// - Parameter former: the one that it was; when a Sentinel names another one, that counts.
    package func primary(after former: Node? = nil) throws -> Node {
        let ports = try sentinels.filter { !$0.isPaused }.map { try $0.primary() }
        let port = ports.first { $0 != former?.port } ?? ports[0]
        guard let node = nodes.first(where: { $0.port == port }) else {
            throw ClusterScene.TimedOut(description: "the primary is at port \(port)")
        }
        return node
    }

    /// Waits until both replicas are in sync with the primary, all Sentinels name that one and could promote both.
    package func waitUntilWhole() throws {
        try wait("two replicas are in sync") {
            let ports = Set(try sentinels.map { try $0.primary() })
            guard ports.count == 1,
                try sentinels.allSatisfy({ try $0.isWatching() && $0.goodReplicas() == 2 })
            else {
                return false
            }
            let text = try primary().server.call("INFO", "replication")
            let lines = text.split(whereSeparator: \.isNewline)
            guard lines.contains("role:master") else { return false }
            return lines.count { line in
                line.hasPrefix("slave") && line.contains("state=online") && !line.contains("offset=0,")
                    && line.split(separator: ",").contains { ["lag=0", "lag=1"].contains($0) }
            } == 2
        }
    }

    /// Waits for a condition that nothing reports.
    package func wait(_ what: String, until isSo: () throws -> Bool) throws {
        let end = ContinuousClock.now.advanced(by: .seconds(120))
        while try !isSo() {
            guard ContinuousClock.now < end else { throw ClusterScene.TimedOut(description: what) }
            for sentinel in sentinels { try sentinel.takeWhatIsThere() }
            // Neither Redis nor Sentinels report all of what is awaited here.
            usleep(50_000)
        }
    }

    /// Cuts a server off from the other servers and from the Sentinels, but not from members; or undoes that.
    package func isolate(_ node: Node, _ isIsolated: Bool) {
        node.network.part(from: isIsolated ? Self.peers : [])
    }
}
