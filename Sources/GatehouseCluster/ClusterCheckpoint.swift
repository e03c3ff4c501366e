// SPDX-License-Identifier: Apache-2.0

/// A checkpoint: what is written when a partition advances.
public struct ClusterCheckpoint: Equatable, Sendable {
    /// The partition's number.
    public var partition: Int
    /// The member that writes it.
    public var member: String
    /// The epoch under which the member owns the partition.
    public var epoch: Int
    /// The offset up to which the partition is processed.
    public var offset: ClusterOffset
    /// The slices that have changed since the last one, by name.
    public var slices: [String: [UInt8]]
    /// The names of deleted slices.
    public var gone: [String]
    /// The outputs for other partitions, in order.
    public var outputs: [Output]
    /// The actions set aside.
    public var dead: [ClusterDeadLetter]
    /// The number of actions read since the last checkpoint; counts only when the offset moves, so that a repetition counts nothing.
    public var processed: Int
    /// The number of the checkpoint in its epoch, from 1, so that a repeated or late one changes nothing; 0 for one that counts
    /// whenever it arrives.
    public var number: Int

    /// The approximate number of bytes.
    public var size: Int {
        slices.values.reduce(0) { $0 + $1.count } + outputs.reduce(0) { $0 + $1.action.count }
            + dead.reduce(0) { $0 + $1.action.count }
    }

    /// An action for another partition.
    public struct Output: Equatable, Sendable {
        /// The receiving partition.
        public var partition: Int
        /// The unique origin.
        public var origin: ClusterOrigin
        /// The action in wire form.
        public var action: [UInt8]

        /// Creates an output from its parts.
        public init(partition: Int, origin: ClusterOrigin, action: [UInt8]) {
            self.partition = partition
            self.origin = origin
            self.action = action
        }
    }

    /// Creates a checkpoint from its parts.
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

/// The answer to a request for a partition.
public enum ClusterAcquisition: Equatable, Sendable {
    /// The member owns the partition and continues from here; `attempts` counts the grants since its last checkpoint or release,
    /// including this one.
    case granted(epoch: Int, offset: ClusterOffset, slices: [String: [UInt8]], attempts: Int)
    /// The request is refused; this is the partition's title.
    case refused(ClusterRoll.Title)
}
