public final class RedisCluster: Cluster {
    public init(_ address: RedisAddress, name: String, partitions: Int, patience: Duration) {}
    public func connect() throws(ClusterFailure) -> any ClusterEngine { throw .lost("") }
}
