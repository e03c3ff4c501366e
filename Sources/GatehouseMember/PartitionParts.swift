// SPDX-License-Identifier: Apache-2.0

internal import GatehouseRuntime

/// The parts created for a partition before its store, and shared by both.
struct PartitionParts {
    /// The name of the cluster.
    let cluster: String
    /// The name of the member.
    let member: String
    /// The number of the partition.
    let number: Int
    /// The epoch under which it is owned.
    let epoch: Int
    /// How long work may wait for a checkpoint that nothing waits for.
    let longestWait: Duration
    /// The unfinished work.
    let checkpointLog: CheckpointLog
    /// Records the actions that reach the reducers.
    let recorder: ActionRecorder
    /// The outputs for others.
    let outbox: PartitionOutbox
    /// Effects that wait for the checkpoint.
    let held: HeldEffects
    /// Whether something waits for the checkpoint.
    let urgency: PartitionUrgency
    /// Counts of the member's work.
    let counts: ClusterCounts
    /// Reports to the operator.
    let report: @Sendable (ClusterNotice) -> Void
}
