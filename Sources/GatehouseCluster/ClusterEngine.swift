// SPDX-License-Identifier: Apache-2.0

/// The store of a cluster's partitions; every call is atomic.
///
/// `EngineConformanceTests` define what each implementation must hold. One object is a connection and belongs to one thread at a
/// time; several may use the same cluster. After ``ClusterFailure/lost(_:)`` it is unusable: make another one.
package protocol ClusterEngine: AnyObject {
    // MARK: - Actions and partitions

    /// Appends actions to their partitions, in this order, all of them or none; they are durable when it returns.
    ///
    /// - Throws: `full` when there is no room, and nothing was done; `refused` also for a batch above the engine's limit of sizes.
    func append(_ batch: ClusterBatch) throws(ClusterFailure)

    /// Reads the actions of partitions after an offset each, at most `count` of each, partition by partition in order; waits for the
    /// first one up to a time.
    ///
    /// A call passes each action to `body` once, with its partition; there may be more actions than it passes. It passes nothing when
    /// the time is over.
    func read(
        _ offsets: [(partition: Int, offset: ClusterOffset)], atMost count: Int, waiting: Duration,
        _ body: (Int, borrowing ClusterEntry) -> Void
    ) throws(ClusterFailure)

    /// Writes checkpoints, each independently: state, offset, outputs for other partitions, and dead letters, all together.
    ///
    /// They are written in this order without a wait between them, even when the engine is full. Repeating a written one is harmless:
    /// with a number nothing is written again; otherwise its outputs come twice, with the same origin.
    ///
    /// - Returns: for each, nil when it is written; otherwise the conflicting title, and nothing of it was written.
    /// - Throws: why one of them was not written; each of the others may be written or not. `refused` also when an offset lies before the
    ///   one that is kept, or a number does in this epoch.
    func checkpoint(_ checkpoints: [ClusterCheckpoint]) throws(ClusterFailure) -> [ClusterRoll.Title?]

    /// Gives a partition to a live member, if its epoch is still the one the member knows and its owner, if any, is the member
    /// itself or is not alive.
    ///
    /// - Throws: `superseded` when the member has joined or renewed as a life here, and another one has joined under the name since.
    func acquire(_ partition: Int, for member: String, after epoch: Int) throws(ClusterFailure)
        -> ClusterAcquisition

    /// Renews a member's lease, and returns the live members and the owners.
    ///
    /// - Throws: `superseded` when another life has joined under the name since; `goneBack` when the cluster does not exist any more.
    func renew(_ member: ClusterPresence, for lease: Duration) throws(ClusterFailure) -> ClusterRoll

    /// Releases a partition of a member that owns it under an epoch; has no effect if it does not.
    func release(_ partition: Int, of member: String, epoch: Int) throws(ClusterFailure)

    // MARK: - Members

    /// Registers a life under its name, superseding another one of the name; the first of all creates the cluster.
    ///
    /// - Throws: `refused` when the cluster has another number of partitions.
    func join(_ presence: ClusterPresence) throws(ClusterFailure)

    /// Removes a member and its lease, unless another life has joined under the name; its titles must have been released before.
    func leave(_ presence: ClusterPresence) throws(ClusterFailure)

    /// Counts one more try of the action at an offset under an epoch, from 1; a checkpoint or another offset resets the count.
    ///
    /// - Returns: the number of this try, over all epochs; nil when another member has the partition, and nothing was counted.
    func attempt(_ partition: Int, at offset: ClusterOffset, of member: String, epoch: Int)
        throws(ClusterFailure)
        -> Int?

    // MARK: - Waking

    /// Returns the id by which this connection can be woken; asks the engine once.
    func reader() throws(ClusterFailure) -> Int

    /// Makes another connection return at once from waiting in `read`; false when it does not wait.
    func wake(_ reader: Int) throws(ClusterFailure) -> Bool

    // MARK: - Operation

    /// Surveys all members and partitions for operators.
    func survey() throws(ClusterFailure) -> ClusterSurvey

    /// Drains a member, so that it owns nothing, or undoes that; holds until undone, also for later lives, and is reported to all
    /// by the roll.
    func drain(_ member: String, _ isDraining: Bool) throws(ClusterFailure)

    /// Takes or keeps the only turn of the cluster, for serial reloads, for a time; false while another member has it.
    func takeTurn(for member: String, _ time: Duration) throws(ClusterFailure) -> Bool

    /// Returns the turn; has no effect if the member does not have it.
    func endTurn(of member: String) throws(ClusterFailure)

    /// Asks all members to reload, one after the other; returns the number of this request, which the roll reports to them.
    func requestReload() throws(ClusterFailure) -> Int

    /// Returns the newest dead letters, at most `count`, the newest last.
    func deadLetters(atMost count: Int) throws(ClusterFailure) -> [ClusterDeadLetter]
}

extension ClusterEngine {
    /// Writes one checkpoint, like several at once.
    package func checkpoint(_ checkpoint: ClusterCheckpoint) throws(ClusterFailure) -> ClusterRoll.Title? {
        try self.checkpoint([checkpoint])[0]
    }

    /// Reads all actions of a partition that follow an offset, in order, until none does or one at `last` is read.
    ///
    /// - Parameters:
    ///   - count: the most that one call passes on; some after `last` may be among them.
    ///   - between: called after each call.
    package func readRest(
        of partition: Int, after offset: ClusterOffset, through last: ClusterOffset? = nil, atMost count: Int,
        between: () throws(ClusterFailure) -> Void = {}, _ body: (borrowing ClusterEntry) -> Void
    ) throws(ClusterFailure) {
        var (offset, before) = (offset, offset)
        repeat {
            before = offset
            try read([(partition, offset)], atMost: count, waiting: .zero) { _, entry in
                offset = entry.offset
                body(entry)
            }
            try between()
        } while offset > before && last.map { offset < $0 } != false
    }
}

/// Connects to the engine of a cluster, from any thread; remembers across connections what the engine has confirmed.
package protocol Cluster: Sendable {
    /// What the engine has confirmed, to be remembered on this machine; nil for an engine whose data is on this machine itself.
    var memory: ClusterMemory? { get }
    /// The server that was connected to last; nil before the first connection, and for an engine without one.
    var server: ClusterServer? { get }

    /// Makes a new connection.
    ///
    /// - Throws: also `goneBack` when the engine has lost what it had confirmed.
    func connect() throws(ClusterFailure) -> any ClusterEngine

    /// Halts the cluster for all members because the engine has lost what it had confirmed, until an operator lifts that; records what
    /// this process misses. Does nothing for any other failure, and to a cluster that this process does not know.
    ///
    /// - Parameter time: in seconds since 1970.
    /// - Returns: whether the cluster is halted, now or before.
    func halt(for failure: ClusterFailure, by member: String, at time: Int) throws(ClusterFailure) -> Bool
}
