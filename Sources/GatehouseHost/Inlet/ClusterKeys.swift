// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// Which partition an action belongs to that was written down; for commands that run beside a cluster.
public final class ClusterKeys {
    /// Where keys are.
    private var keys: ActionKeys
    /// Reads actions.
    private var lines = RecordedLines()

    /// The keys of a cluster that has so many partitions.
    public init(_ cluster: ClusterConfiguration, partitions: Int) {
        var cluster = cluster
        cluster.partitions = partitions
        keys = ActionKeys(cluster)
    }

    /// The partition of an action in wire form; nil for what is no action, or is for a host.
    public func partition(ofWritten action: [UInt8]) -> Int? {
        lines.action(action).flatMap { keys.partition(of: $0) }
    }
}
