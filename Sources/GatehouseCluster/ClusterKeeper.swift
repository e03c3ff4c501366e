// SPDX-License-Identifier: Apache-2.0

/// Changes a cluster from outside, whether members are there or not: sees to its dead letters and its number of partitions.
///
/// One object is a connection and belongs to one thread at a time.
public protocol ClusterKeeper: AnyObject {
    /// The shape of the cluster; nil when there is no such cluster.
    func shape() throws(ClusterFailure) -> ClusterShape?

    /// A connection to the cluster as it is.
    func engine(of shape: ClusterShape) throws(ClusterFailure) -> any ClusterEngine

    // MARK: - Dead letters

    /// Puts the action of a dead letter behind all others of a partition, and forgets the letter, in one step; false when there is no such
    /// letter.
    func redispatch(_ letter: ClusterDeadLetter, to partition: Int, in shape: ClusterShape)
        throws(ClusterFailure)
        -> Bool

    /// Forgets a dead letter; false when there is none.
    func remove(_ letter: ClusterDeadLetter) throws(ClusterFailure) -> Bool

    // MARK: - Another number of partitions

    /// Takes the cluster out of use: nobody joins, nothing is appended, and no checkpoint is written, until the resize ends.
    ///
    /// A resize that was begun before and has not ended is over: what it has written goes, and it cannot end any more.
    ///
    /// - Returns: the live members; while there are any, nothing was begun.
    func beginResize(of shape: ClusterShape, to partitions: Int) throws(ClusterFailure) -> [String]

    /// What is kept of a partition of the old shape; nothing at offset zero for one that never had a checkpoint.
    func checkpoint(of partition: Int) throws(ClusterFailure) -> (
        offset: ClusterOffset, slices: [String: [UInt8]]
    )

    /// Writes the state of a partition of the new shape, beside what there is.
    func write(_ slices: [String: [UInt8]], to partition: Int) throws(ClusterFailure)

    /// Puts actions behind all others of partitions of the new shape, beside what there is; all of them or none.
    ///
    /// - Throws: `refused` also when another resize was begun since.
    func append(_ batch: ClusterBatch) throws(ClusterFailure)

    /// Puts the new shape in the place of the old one, in one step.
    ///
    /// - Throws: `refused` when another resize was begun since.
    func finishResize() throws(ClusterFailure)

    /// Lets the cluster be used as it was, and removes what was written beside it.
    func abandonResize() throws(ClusterFailure)
}

/// How many partitions a cluster has.
public struct ClusterShape: Equatable, Sendable {
    /// How many there are.
    public var partitions: Int
    /// How many there are to be, while a resize is under way, or was ended in the middle; nil otherwise.
    public var resizing: Int?
    /// Whether an older version has written it in a form that this one only reads, and a resize to any number writes anew.
    public var isOld = false
    /// The engine's own text.
    var text: String
}
