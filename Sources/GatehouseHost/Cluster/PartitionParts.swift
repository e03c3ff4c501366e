// SPDX-License-Identifier: Apache-2.0

/// What is made for a partition before its store, and belongs to both.
struct PartitionParts {
    /// The name of the cluster.
    let cluster: String
    /// The name of the member.
    let member: String
    /// The number of the partition.
    let number: Int
    /// The epoch under which it is owned.
    let epoch: Int
    /// So long may what was done wait for a checkpoint that nobody waits for.
    let longestWait: Duration
    /// What is under way.
    let book: PartitionBook
    /// Takes note of what reaches the reducers.
    let recorder: ActionRecorder
    /// What it has for others.
    let outbox: PartitionOutbox
    /// Effects that wait for the checkpoint.
    let held: HeldEffects
    /// Whether somebody waits for the checkpoint.
    let urgency: PartitionUrgency
    /// Counts what the member does.
    let counts: ClusterCounts
    /// Told what an operator should know.
    let report: @Sendable (ClusterNotice) -> Void
}
