// SPDX-License-Identifier: Apache-2.0

internal import GatehouseCluster
internal import GatehouseSDK

/// The cluster of a member, for who controls the member; what asks the engine is done by threads that may wait.
protocol ControlCluster: AnyObject, Sendable {
    /// What the member knows without asking the engine.
    var account: ClusterAccount { get }

    /// The instances of the configuration, in chain order, and whether each is in partitions.
    var instances: [(id: String, isInPartitions: Bool)] { get }

    /// Told about each action of a partition, for printing.
    var onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)? { get }

    /// Tells of the partitions that the member has, one by one, and from here on of each that comes and goes; called once, and tells
    /// from any thread.
    func follow(_ tell: @escaping @Sendable (Int, PartitionTable.Change) -> Void)

    /// What the engine knows of all members and partitions.
    func survey() async throws(ControlError) -> ClusterSurvey

    /// Lets a member own nothing from here on, or again something.
    func drain(_ member: String, _ isDraining: Bool) async throws(ControlError)

    /// Asks all members to reload, one after the other; gives the number of the request.
    func reload() async throws(ControlError) -> Int

    /// Whether an action belongs to a partition, and not to the member itself.
    func isForPartition(_ action: AnyAction) -> Bool

    /// Puts actions into their partitions; returns when the engine has them.
    func append(_ actions: [AnyAction]) async throws(ControlError)

    /// Puts an action into every partition; returns when the engine has it.
    func appendToAll(_ action: AnyAction) async throws(ControlError)
}
