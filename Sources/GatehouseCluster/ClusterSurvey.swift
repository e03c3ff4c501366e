// SPDX-License-Identifier: Apache-2.0

/// The state of a cluster for operators, within the time of one call.
public struct ClusterSurvey: Equatable, Sendable {
    /// A current or recent member.
    public struct Member: Equatable, Sendable {
        /// Its process; the last one, if it is absent.
        public var presence: ClusterPresence
        /// The remaining time of its lease; not above zero when it has run out.
        public var leaseLeft: Duration
        /// Whether it must own nothing.
        public var isDraining: Bool

        /// Creates a member from its parts.
        public init(presence: ClusterPresence, leaseLeft: Duration, isDraining: Bool) {
            self.presence = presence
            self.leaseLeft = leaseLeft
            self.isDraining = isDraining
        }
    }

    /// A partition, whose number is its index.
    public struct Partition: Equatable, Sendable {
        /// The partition's title.
        public var title: ClusterRoll.Title
        /// The offset of its last checkpoint.
        public var offset: ClusterOffset
        /// The number of actions without a checkpoint yet.
        public var lag: Int
        /// How long the oldest of them has been waiting; nil without any.
        public var waiting: Duration?
        /// The age of its last checkpoint; nil before the first.
        public var checkpointAge: Duration?

        /// Creates a partition from its parts.
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
    /// The number of dead letters.
    public var dead: Int
    /// The time of the survey by the engine's clock, in seconds since 1970.
    public var time: Double

    /// Creates a survey from its parts.
    public init(members: [Member], partitions: [Partition], dead: Int, time: Double) {
        self.members = members
        self.partitions = partitions
        self.dead = dead
        self.time = time
    }
}
