// SPDX-License-Identifier: Apache-2.0

/// The state of a cluster for operators, within the time of one call.
package struct ClusterSurvey: Equatable, Sendable {
    /// A current or recent member.
    package struct Member: Equatable, Sendable {
        /// Its process; the last one, if it is absent.
        package var presence: ClusterPresence
        /// The remaining time of its lease; not above zero when it has run out.
        package var leaseLeft: Duration
        /// Whether it must own nothing.
        package var isDraining: Bool
    }

    /// A partition, whose number is its index.
    package struct Partition: Equatable, Sendable {
        /// The partition's title.
        package var title: ClusterRoll.Title
        /// The offset of its last checkpoint.
        package var offset: ClusterOffset
        /// The number of actions without a checkpoint yet.
        package var lag: Int
        /// How long the oldest of them has been waiting; nil without any.
        package var waiting: Duration?
        /// The age of its last checkpoint; nil before the first.
        package var checkpointAge: Duration?
    }

    /// The members, by name.
    package var members: [Member]
    /// The partitions, by number.
    package var partitions: [Partition]
    /// The number of dead letters.
    package var dead: Int
    /// The time of the survey by the engine's clock, in seconds since 1970.
    package var time: Double
}
