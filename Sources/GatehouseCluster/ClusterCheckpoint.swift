// SPDX-License-Identifier: Apache-2.0

/// What is written when a partition moves on.
public struct ClusterCheckpoint: Equatable, Sendable {
    /// The partition.
    public var partition: Int
    /// Who writes it.
    public var member: String
    /// The epoch under which it does.
    public var epoch: Int
    /// Up to where it is processed.
    public var offset: ClusterOffset
    /// The slices that have changed since the last one, by name.
    public var slices: [String: [UInt8]]
    /// The names of slices that are no more.
    public var gone: [String]
    /// What it has for other partitions, in order.
    public var outputs: [Output]
    /// What it sets aside.
    public var dead: [ClusterDeadLetter]
    /// How many actions were read since the last one; counts only when the offset moves, so that a repetition counts nothing.
    public var processed: Int
    /// The how manieth it is of its epoch, from 1, so that one that is written again, or arrives late, changes nothing; 0 for one that
    /// counts whenever it arrives.
    public var number: Int

    /// About how many bytes it has.
    public var size: Int {
        slices.values.reduce(0) { $0 + $1.count } + outputs.reduce(0) { $0 + $1.action.count }
            + dead.reduce(0) { $0 + $1.action.count }
    }

    /// An action for another partition.
    public struct Output: Equatable, Sendable {
        /// The partition that it is for.
        public var partition: Int
        /// What tells it from all others.
        public var origin: ClusterOrigin
        /// The action in wire form.
        public var action: [UInt8]

        /// An output of its parts.
        public init(partition: Int, origin: ClusterOrigin, action: [UInt8]) {
            self.partition = partition
            self.origin = origin
            self.action = action
        }
    }

    /// A checkpoint of its parts.
    public init(
        partition: Int, member: String, epoch: Int, offset: ClusterOffset, slices: [String: [UInt8]] = [:],
        gone: [String] = [], outputs: [Output] = [], dead: [ClusterDeadLetter] = [], processed: Int = 0,
        number: Int = 0
    ) {
        self.partition = partition
        self.member = member
        self.epoch = epoch
        self.offset = offset
        self.slices = slices
        self.gone = gone
        self.outputs = outputs
        self.dead = dead
        self.processed = processed
        self.number = number
    }
}

/// What becomes of the wish for a partition.
public enum ClusterAcquisition: Equatable, Sendable {
    /// It belongs to the member, which goes on from here; `attempts` is how often it was granted since its last checkpoint or release,
    /// this time included.
    case granted(epoch: Int, offset: ClusterOffset, slices: [String: [UInt8]], attempts: Int)
    /// It does not; this is its title.
    case refused(ClusterRoll.Title)
}
