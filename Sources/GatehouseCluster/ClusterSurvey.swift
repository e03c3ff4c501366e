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

    /// The server that has answered.
    package struct Server: Equatable, Sendable {
        /// A server that copies it.
        package struct Replica: Equatable, Sendable {
            /// Its address, as `HOST:PORT`.
            package var address: String
            /// Whether it gets each write; not while it copies everything.
            package var isOnline: Bool
            /// How much of what was written it has not confirmed, in bytes.
            package var behind: Int
            /// The time since it has last said how far it is, in whole seconds.
            package var silence: Duration
        }

        /// Its address.
        package var address: String
        /// The replicas that are connected to it.
        package var replicas: [Replica]
    }

    /// The members, by name.
    package var members: [Member]
    /// The partitions, by number.
    package var partitions: [Partition]
    /// The number of dead letters.
    package var dead: Int
    /// The time of the survey by the engine's clock, in seconds since 1970.
    package var time: Double
    /// The server that has answered; nil for an engine without one.
    package var server: Server? = nil
}
