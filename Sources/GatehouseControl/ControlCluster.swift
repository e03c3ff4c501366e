// SPDX-License-Identifier: Apache-2.0

package import GatehouseCluster
package import GatehouseRuntime
package import GatehouseSDK

/// A member's cluster, as its control uses it; calls to the engine run on threads that may block.
package protocol ControlCluster: AnyObject, Sendable {
    /// The account that needs no call to the engine.
    var account: ClusterAccount { get }

    /// The instances of the configuration in chain order, and whether each runs in partitions.
    var instances: [(id: String, isInPartitions: Bool)] { get }

    /// Called with each action of a partition, for printing.
    var onAction: (@Sendable (DispatchedAction<AnyAction>) -> Void)? { get }

    /// Reports each partition that the member has, then each that comes or goes; called once, and calls `tell` from any
    /// thread.
    func follow(_ tell: @escaping @Sendable (Int, PartitionChange) -> Void)

    /// Returns the engine's view of all members and partitions.
    func survey() async throws(ControlError) -> ClusterSurvey

    /// Drains a member, so that it owns nothing, or undoes that.
    func drain(_ member: String, _ isDraining: Bool) async throws(ControlError)

    /// Asks all members to reload, one after the other; returns the request's number.
    func reload() async throws(ControlError) -> Int

    /// Whether an action belongs to a partition rather than to the member itself.
    func isForPartition(_ action: AnyAction) -> Bool

    /// Appends actions to their partitions; returns once the engine has them.
    func append(_ actions: [AnyAction]) async throws(ControlError)

    /// Appends an action to every partition; returns once the engine has it.
    func appendToAll(_ action: AnyAction) async throws(ControlError)
}

/// What becomes of one partition of a member.
package enum PartitionChange: Sendable {
    /// The partition has come, with its store.
    case came(HostStore)
    /// The partition has gone, with its store's final counts.
    case gone(HostCounts)
}
