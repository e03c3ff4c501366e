// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan
internal import GatehouseSDK

/// Determines the partitions of recorded actions; for commands that run beside a cluster.
package final class ClusterKeys {
    /// Determines the keys.
    private var keys: ActionKeys
    /// Parses actions.
    private var lines = RecordedLines()

    /// Creates the keys of a cluster with a number of partitions.
    package init(_ cluster: ClusterConfiguration, partitions: Int) {
        var cluster = cluster
        cluster.partitions = partitions
        keys = ActionKeys(cluster)
    }

    /// Returns the partition of an action in wire form; nil for anything else, and for an action to a host.
    package func partition(ofWritten action: [UInt8]) -> Int? {
        lines.action(action).flatMap { keys.partition(of: $0) }
    }
}
