// SPDX-License-Identifier: Apache-2.0

import GatehouseHostTesting

@testable import GatehouseCluster

/// A place for clusters of a test, which goes with this object.
final class EngineServer {
    /// The kinds of engines.
    enum Kind: CaseIterable {
        case redis, file, memory

        /// Those of which several processes may use one cluster.
        static let lasting: [Kind] = [.redis, .file]
    }

    /// The kind.
    private let kind: Kind
    /// The server; nil without one.
    private let redis: RedisServer?
    /// The folder of files.
    private let folder: TemporaryFolder

    /// Begins without clusters.
    init(_ kind: Kind) throws {
        self.kind = kind
        folder = try TemporaryFolder()
        redis = kind == .redis ? try RedisServer() : nil
    }

    /// The file of a cluster.
    func path(_ name: String = "shop") -> String { "\(folder.path)/\(name).db" }

    /// How sentences name the place.
    var address: String { redis.map { "\($0.address)" } ?? path() }

    /// A cluster, as a process of its own makes it.
    ///
    /// - Parameter history: how long actions stay readable.
    func cluster(_ name: String = "shop", partitions: Int = 4, history: Duration = .zero) -> any Cluster {
        redis.map { RedisCluster($0.access, name: name, partitions: partitions, history: history) }
            ?? LocalCluster(
                path: kind == .file ? path(name) : nil, name: name, partitions: partitions,
                history: history, patience: .seconds(60))
    }

    /// Changes a cluster from outside; throws for one in memory.
    func maintainer(_ name: String = "shop") throws -> any ClusterMaintainer {
        if let redis { return try RedisMaintainer(redis.access, name: name, patience: .seconds(5)) }
        return try LocalMaintainer(path: path(name), name: name, patience: .seconds(5))
    }

    /// An engine for a cluster that somebody has joined.
    func engine(_ name: String = "shop", partitions: Int = 4) throws -> any ClusterEngine {
        if let redis { return try redis.engine(name, partitions: partitions) }
        let engine = try cluster(name, partitions: partitions).connect()
        try engine.join(ClusterPresence(name: "first", life: "1"))
        return engine
    }
}

extension ClusterEngine {
    /// The bytes of the actions that a partition has, in their order.
    func actions(of partition: Int) throws -> [[UInt8]] {
        var actions: [[UInt8]] = []
        try read([(partition, .start)], atMost: 1_000, waiting: .zero) { _, entry in
            unsafe actions.append(Array(entry.action))
        }
        return actions
    }
}
