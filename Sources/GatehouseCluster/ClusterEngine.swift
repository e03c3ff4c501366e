// SPDX-License-Identifier: Apache-2.0

/// What keeps the partitions of a cluster: calls each of which happens whole or not at all.
///
/// `EngineConformanceTests` say what each implementation must hold. One object is a connection and belongs to one thread at a time;
/// several may speak to the same cluster. After ``ClusterFailure/lost(_:)`` it is of no use any more: make another one.
public protocol ClusterEngine: AnyObject {
    // MARK: - Actions and partitions

    /// Puts actions behind all others of their partitions, in this order; all of them or none. When it returns, they are kept.
    ///
    /// - Throws: `full` when there is no room, and nothing was done; `refused` also for a batch above the engine's limit of sizes.
    func append(_ batch: ClusterBatch) throws(ClusterFailure)

    /// Shows the actions of partitions behind an offset each, at most so many of each, partition by partition in order; waits up to a
    /// time for the first one.
    ///
    /// An action is shown once in a call, with its partition; fewer than so many may be shown although there are more. Nothing is shown
    /// when the time is over.
    func read(
        _ offsets: [(partition: Int, offset: ClusterOffset)], atMost count: Int, waiting: Duration,
        _ body: (Int, borrowing ClusterEntry) -> Void
    ) throws(ClusterFailure)

    /// Moves partitions on, each by itself: state, offset, what it has for other partitions, and its dead letters, all together.
    ///
    /// They are written in this order without a wait between them, also when the engine is full. Repeating one that was written does no
    /// harm: nothing is written again if it has a number; otherwise its outputs come twice, with the same origin.
    ///
    /// - Returns: for each, nil when it is written; otherwise the title that stands against it, and nothing of it was written.
    /// - Throws: why one of them was not written; each of the others may be written or not. `refused` also when an offset lies before the
    ///   one that is kept, or a number does in this epoch.
    func checkpoint(_ checkpoints: [ClusterCheckpoint]) throws(ClusterFailure) -> [ClusterRoll.Title?]

    /// Gives a partition to a member that lives, if its epoch is still the one that the member knows and its owner, if any, is the
    /// member itself or does not live.
    ///
    /// - Throws: `superseded` when the member has joined or renewed as a life here, and another one has joined under the name since.
    func acquire(_ partition: Int, for member: String, after epoch: Int) throws(ClusterFailure)
        -> ClusterAcquisition

    /// Takes a member for alive for the time of a lease, and tells who is there and who owns what.
    ///
    /// - Throws: `superseded` when another life has joined under the name since; `goneBack` when the cluster is not there any more.
    func renew(_ member: ClusterPresence, for lease: Duration) throws(ClusterFailure) -> ClusterRoll

    /// Takes a partition back from the member that owns it under an epoch; nothing happens if it does not.
    func release(_ partition: Int, of member: String, epoch: Int) throws(ClusterFailure)

    // MARK: - Members

    /// Registers a life under its name; one that has the name already is superseded. The first of all makes the cluster.
    ///
    /// - Throws: `refused` when the cluster has another number of partitions.
    func join(_ presence: ClusterPresence) throws(ClusterFailure)

    /// Forgets a member and its lease, unless another life has joined under the name; its titles must have been released before.
    func leave(_ presence: ClusterPresence) throws(ClusterFailure)

    /// Counts one more try of the action at an offset under an epoch, from 1; the next checkpoint forgets it, another offset begins anew.
    ///
    /// - Returns: the number of this try, over all epochs; nil when somebody else has the partition, and nothing was counted.
    func attempt(_ partition: Int, at offset: ClusterOffset, of member: String, epoch: Int)
        throws(ClusterFailure)
        -> Int?

    // MARK: - Waking

    /// What this connection is called when it is to be woken; the engine is asked for it once.
    func reader() throws(ClusterFailure) -> Int

    /// Lets another connection that waits in `read` come back at once; false when it does not wait.
    func wake(_ reader: Int) throws(ClusterFailure) -> Bool

    // MARK: - Operation

    /// What operators want to know of all members and partitions.
    func survey() throws(ClusterFailure) -> ClusterSurvey

    /// Lets a member own nothing from here on, or again something; the roll tells it to all. It holds until it is taken back, also for
    /// later lives.
    func drain(_ member: String, _ isDraining: Bool) throws(ClusterFailure)

    /// Takes the only turn of the cluster for a time, or keeps it; false while another member has it. For reloads one after the other.
    func takeTurn(for member: String, _ time: Duration) throws(ClusterFailure) -> Bool

    /// Gives the turn back; nothing happens if the member does not have it.
    func endTurn(of member: String) throws(ClusterFailure)

    /// Asks all members to reload, one after the other; the roll tells them the number of this request, which is returned.
    func requestReload() throws(ClusterFailure) -> Int

    /// The newest dead letters, at most so many, the newest last.
    func deadLetters(atMost count: Int) throws(ClusterFailure) -> [ClusterDeadLetter]
}

extension ClusterEngine {
    /// Moves one partition on, as several are moved on at once.
    public func checkpoint(_ checkpoint: ClusterCheckpoint) throws(ClusterFailure) -> ClusterRoll.Title? {
        try self.checkpoint([checkpoint])[0]
    }
}

/// Connects to the engine of a cluster, from any thread; remembers across connections what the engine was seen to have.
public protocol Cluster: Sendable {
    /// A connection of its own.
    ///
    /// - Throws: also `goneBack` when the engine has lost what it had confirmed.
    func connect() throws(ClusterFailure) -> any ClusterEngine
}
