// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan
package import GatehouseSupport

/// Runs a part of the plan in stores other than the reloading host's: the partitions of a cluster.
package protocol PlanFollower: AnyObject, Sendable {
    /// Waits for the turn to reload: those that share the work reload one after the other.
    ///
    /// - Throws: why the turn does not come.
    func takeTurn() throws(Diagnostics)

    /// Passes the turn on.
    func endTurn()

    /// Returns the states of instances in one of the stores, by the ids in the new plan; for a rehearsal.
    func states(for difference: PlanDifference) -> [String: VersionedState]

    /// Switches to a plan; returns when everything runs by it.
    func follow(_ plan: HostPlan)
}
