// SPDX-License-Identifier: Apache-2.0

/// What an engine has confirmed to a member: a floor below which it must never fall.
///
/// Kept on the member's disk, so that a member that is started again still notices what the engine has lost.
package struct ClusterPromise: Equatable, Sendable {
    /// The floor of a partition.
    package struct Floor: Equatable, Sendable {
        /// The highest action that was appended, read or processed.
        package var entry = ClusterOffset.start
        /// The highest offset of a checkpoint.
        package var checkpoint = ClusterOffset.start
        /// The highest epoch.
        package var epoch = 0

        /// Creates the floor of a partition of which nothing is known.
        package init() {}
    }

    /// The era of the cluster's data in which the floors hold; nil before the member knows it.
    ///
    /// Another era begins when a cluster is resized, or continues without what it has lost.
    package var era: String?
    /// The floors, by partition.
    package var floors: [Floor]

    /// Creates a promise of nothing.
    package init(partitions: Int) { floors = Array(repeating: Floor(), count: partitions) }

    /// Whether nothing was confirmed.
    package var isEmpty: Bool { era == nil && floors.allSatisfy { $0 == Floor() } }
}
