// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster

/// What others may know of how a member stands in its cluster.
struct ClusterStanding: Sendable {
    /// What the engine knew last; nil before the first renewal.
    var roll: ClusterRoll?
    /// How many partitions the member has.
    var owned = 0
    /// Why the member cannot go on; nil as long as it can.
    var failure: ClusterFailure?
    /// Why the engine does not do what is asked; nil while it does.
    var trouble: ClusterFailure?
    /// Whether it has left.
    var hasLeft = false
    /// How often all partitions were asked to be loaded again.
    var reloads = 0
    /// Whether nothing is on its way to this member or from it.
    var isAtRest = false
}
