// SPDX-License-Identifier: Apache-2.0

/// What operators want to know of a cluster, as it was within the time of one call.
public struct ClusterSurvey: Equatable, Sendable {
    /// A member that is there, or was not long ago.
    public struct Member: Equatable, Sendable {
        /// Its process; the last one, if it is not there.
        public var presence: ClusterPresence
        /// How long its lease goes on; not above zero when it has run out.
        public var leaseLeft: Duration
        /// Whether it is to own nothing.
        public var isDraining: Bool

        /// A member of its parts.
        public init(presence: ClusterPresence, leaseLeft: Duration, isDraining: Bool) {
            self.presence = presence
            self.leaseLeft = leaseLeft
            self.isDraining = isDraining
        }
    }

    /// A partition, whose number is its place.
    public struct Partition: Equatable, Sendable {
        /// Who has it.
        public var title: ClusterRoll.Title
        /// Up to where its last checkpoint has processed it.
        public var offset: ClusterOffset
        /// How many actions are not in a checkpoint yet.
        public var lag: Int
        /// How long the oldest of them has been waiting; nil without any.
        public var waiting: Duration?
        /// How long ago its last checkpoint was; nil before the first.
        public var checkpointAge: Duration?

        /// A partition of its parts.
        public init(
            title: ClusterRoll.Title, offset: ClusterOffset, lag: Int, waiting: Duration?,
            checkpointAge: Duration?
        ) {
            self.title = title
            self.offset = offset
            self.lag = lag
            self.waiting = waiting
            self.checkpointAge = checkpointAge
        }
    }

    /// The members, by name.
    public var members: [Member]
    /// The partitions, by number.
    public var partitions: [Partition]
    /// How many dead letters there are.
    public var dead: Int
    /// When it was, by the engine's clock, in seconds since 1970.
    public var time: Double

    /// A survey of its parts.
    public init(members: [Member], partitions: [Partition], dead: Int, time: Double) {
        self.members = members
        self.partitions = partitions
        self.dead = dead
        self.time = time
    }
}
