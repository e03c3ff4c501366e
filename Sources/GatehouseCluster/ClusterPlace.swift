// SPDX-License-Identifier: Apache-2.0

/// Where the engine of a cluster is.
package enum ClusterPlace: Equatable, Sendable {
    /// A Redis 7.
    case redis(RedisAccess)
    /// A file of this machine.
    case file(String)
    /// The memory of the process: nothing outlives it, and no other process comes to it.
    case memory

    /// Makes a cluster without connecting.
    ///
    /// - Parameters:
    ///   - replicas: how many replicas of a Redis must have what it confirms.
    ///   - history: for how long the past stays: actions after they came, at least, and a checkpoint from before them.
    ///   - patience: how long an answer may take.
    ///   - restarted: called in the connecting thread when a server was restarted or replaced, and has everything it had confirmed.
    package func cluster(
        named name: String, partitions: Int, replicas: Int, history: Duration = .zero, patience: Duration,
        restarted: @escaping @Sendable (ClusterServer) -> Void
    ) -> any Cluster {
        switch self {
        case .redis(let access):
            RedisCluster(
                access, name: name, partitions: partitions, replicas: replicas, history: history,
                patience: patience,
                restarted: restarted)
        case .file(let path):
            LocalCluster(
                path: path, name: name, partitions: partitions, history: history, patience: patience)
        case .memory:
            LocalCluster(
                path: nil, name: name, partitions: partitions, history: history, patience: patience)
        }
    }

    /// Connects to a cluster in order to change it from outside.
    ///
    /// - Throws: `refused` for one in the memory of another process.
    package func maintainer(of name: String, patience: Duration) throws(ClusterFailure)
        -> any ClusterMaintainer
    {
        switch self {
        case .redis(let access): return try RedisMaintainer(access, name: name, patience: patience)
        case .file(let path): return try LocalMaintainer(path: path, name: name, patience: patience)
        case .memory:
            throw .refused(
                "it is in the memory of its host, which no other process sees; ask the host itself, with gatehouse ctl, or keep it in a file, with \"engine\": \"local:partitions.db\""
            )
        }
    }

    /// Whether the partitions run in this machine's processes alone, so that these may use all of its processors.
    package var isLocal: Bool { if case .redis = self { false } else { true } }
}
