// SPDX-License-Identifier: Apache-2.0

/// A checkpoint: what is written when a partition advances.
package struct ClusterCheckpoint: Equatable, Sendable {
    /// The partition's number.
    package var partition: Int
    /// The member that writes it.
    package var member: String
    /// The epoch under which the member owns the partition.
    package var epoch: Int
    /// The offset up to which the partition is processed.
    package var offset = ClusterOffset.start
    /// The offset of the checkpoint before: a partition that is not as far any more has vanished.
    package var base = ClusterOffset.start
    /// The slices that have changed since the last one, by name.
    package var slices: [String: [UInt8]] = [:]
    /// The names of deleted slices.
    package var gone: [String] = []
    /// The outputs for other partitions, in order.
    package var outputs: [Output] = []
    /// The skipped actions.
    package var dead: [ClusterDeadLetter] = []
    /// The number of actions read since the last checkpoint; counts only when the offset moves, so that a repetition counts nothing.
    package var processed = 0
    /// The number of the checkpoint in its epoch, from 1, so that a repeated or late one changes nothing; 0 for one that counts
    /// whenever it arrives.
    package var number = 0

    /// The outputs, packed into entries of a number of partitions.
    func packedOutputs(among partitions: Int) -> ActionPacking {
        var batch = ClusterBatch()
        for output in outputs { batch.add(output.action, to: output.partition, from: output.origin) }
        return ActionPacking(batch, partitions: partitions)
    }

    /// The approximate number of bytes.
    package var size: Int {
        slices.values.reduce(0) { $0 + $1.count } + outputs.reduce(0) { $0 + $1.action.count }
            + dead.reduce(0) { $0 + $1.action.count }
    }

    /// An action for another partition.
    package struct Output: Equatable, Sendable {
        /// The receiving partition.
        package var partition: Int
        /// The unique origin.
        package var origin: ClusterOrigin
        /// The action in wire form.
        package var action: [UInt8]

        /// Creates an output from its parts.
        package init(partition: Int, origin: ClusterOrigin, action: [UInt8]) {
            self.partition = partition
            self.origin = origin
            self.action = action
        }
    }
}

extension ClusterCheckpoint {
    /// Creates a checkpoint in which nothing has changed.
    package init(partition: Int, member: String, epoch: Int) {
        self.init(partition: partition, member: member, epoch: epoch, offset: .start)
    }

    /// Creates the first checkpoint under an epoch, in which nothing has changed since an offset.
    package init(partition: Int, member: String, epoch: Int, after base: ClusterOffset) {
        self.init(partition: partition, member: member, epoch: epoch, offset: base, base: base)
    }
}

/// The answer to a request for a partition.
package enum ClusterAcquisition: Equatable, Sendable {
    /// The member owns the partition and continues from here; `attempts` counts the grants since its last checkpoint or release,
    /// including this one.
    case granted(epoch: Int, offset: ClusterOffset, slices: [String: [UInt8]], attempts: Int)
    /// The request is refused; this is the partition's title.
    case refused(ClusterRoll.Title)
}
