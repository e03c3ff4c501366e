// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster

/// A member's standing in its cluster, as others may know it.
struct ClusterStanding: Sendable {
    /// The roll last received from the engine; nil before the first renewal.
    var roll: ClusterRoll?
    /// The number of partitions that the member has.
    var owned = 0
    /// The number of partitions that it should have.
    var intended = 0
    /// Why the member cannot continue; nil while it can.
    var failure: ClusterFailure?
    /// Why the engine fails requests; nil while it works.
    var trouble: ClusterFailure?
    /// Whether the member has left.
    var hasLeft = false
    /// The number of requests to load all partitions again.
    var reloads = 0
    /// Whether nothing is moving to this member or from it.
    var isSettled = false
}
