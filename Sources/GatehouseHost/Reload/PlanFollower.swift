// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSupport

/// Has a part of what a plan says in stores of its own, apart from the host that reloads: the partitions of a cluster.
protocol PlanFollower: AnyObject, Sendable {
    /// Waits until it may reload: those that share the work do so one after the other.
    ///
    /// - Throws: why it may not.
    func takeTurn() throws(Findings)

    /// Lets the next one reload.
    func endTurn()

    /// The states that instances have in one of the stores, by the ids in the new plan; for a rehearsal.
    func states(for difference: PlanDifference) -> [String: VersionedState]

    /// Goes over to a plan; returns when everything runs by it.
    func follow(_ plan: HostPlan)
}
