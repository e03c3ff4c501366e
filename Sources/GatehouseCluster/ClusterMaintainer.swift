// SPDX-License-Identifier: Apache-2.0

/// Changes a cluster from outside, with or without members: manages its dead letters and its number of partitions.
///
/// One object is a connection and belongs to one thread at a time.
package protocol ClusterMaintainer: AnyObject {
    /// Returns the shape of the cluster; nil when it does not exist.
    func shape() throws(ClusterFailure) -> ClusterShape?

    /// Connects to the cluster in its current shape.
    func engine(of shape: ClusterShape) throws(ClusterFailure) -> any ClusterEngine

    // MARK: - Checkpoints

    /// Returns the checkpoint of a partition that its next owner continues from; nothing at offset zero for one that never had any.
    ///
    /// During a resize, that of the old shape.
    func checkpoint(of partition: Int) throws(ClusterFailure) -> (
        offset: ClusterOffset, slices: [String: [UInt8]]
    )

    /// Returns the offsets of the earlier checkpoints of a partition that are kept, with all actions after them, oldest first.
    func earlierCheckpoints(of partition: Int) throws(ClusterFailure) -> [ClusterOffset]

    /// Returns the slices of an earlier checkpoint by its offset; nil when it is not kept any more.
    func earlierCheckpoint(of partition: Int, at offset: ClusterOffset) throws(ClusterFailure) -> [String:
        [UInt8]]?

    // MARK: - Dead letters

    /// Appends the action of a dead letter to a partition and removes the letter, in one step; false when there is no such letter.
    func redispatch(_ letter: ClusterDeadLetter, to partition: Int, in shape: ClusterShape)
        throws(ClusterFailure)
        -> Bool

    /// Removes a dead letter; false when there is none.
    func remove(_ letter: ClusterDeadLetter) throws(ClusterFailure) -> Bool

    // MARK: - A halted cluster

    /// Returns what members miss since the cluster was halted, by member.
    func missing() throws(ClusterFailure) -> [(member: String, what: String)]

    /// Lifts the halt of a cluster: members continue with what there is, in another era.
    ///
    /// - Throws: `refused` when the cluster has another shape by now.
    func resume(_ shape: ClusterShape) throws(ClusterFailure)

    // MARK: - Another number of partitions

    /// Takes the cluster out of use: nobody joins, nothing is appended, and no checkpoint is written, until the resize ends.
    ///
    /// This ends an earlier, unfinished resize: its data is removed, and it cannot finish any more.
    ///
    /// - Returns: the live members; while there are any, nothing was begun.
    func beginResize(of shape: ClusterShape, to partitions: Int) throws(ClusterFailure) -> [String]

    /// Writes the state of a partition of the new shape, beside the existing data.
    func write(_ slices: [String: [UInt8]], to partition: Int) throws(ClusterFailure)

    /// Appends actions to partitions of the new shape, beside the existing data; all of them or none.
    ///
    /// - Throws: `refused` also when another resize was begun since.
    func append(_ batch: ClusterBatch) throws(ClusterFailure)

    /// Replaces the old shape by the new one, in one step.
    ///
    /// - Parameter epoch: below which no partition is owned again.
    /// - Throws: `refused` when another resize was begun since.
    func finishResize(above epoch: Int) throws(ClusterFailure)

    /// Puts the unchanged cluster back into use, and removes the data written beside it.
    func abandonResize() throws(ClusterFailure)
}

/// The number of partitions of a cluster.
package struct ClusterShape: Equatable, Sendable {
    /// The current number of partitions.
    package var partitions: Int
    /// The new number during a resize, or after an interrupted one; nil otherwise.
    package var resizing: Int?
    /// Who has halted the cluster, and what that member misses; nil for one that is not halted.
    package var halted: String?
    /// Whether an older version has written it in a form that this one only reads, and that a resize to any number rewrites.
    package var isOld = false
    /// The engine's own representation.
    package var text: String
}
