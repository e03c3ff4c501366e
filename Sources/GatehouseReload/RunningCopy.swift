// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan
package import GatehouseRuntime
internal import GatehouseSDK

/// A copy of parts of the running generation at one moment, for building the next one beside it.
package struct RunningCopy {
    /// The states of instances that get another library, or enter or leave quarantine, by the id in the new plan.
    package let states: [String: StateCopy]
    /// The standings of the slices of quarantined instances, by id.
    let standing: [String: Standing]
    /// The number of the last action.
    let sequence: UInt64
    /// The state that no instance owns.
    let plain: Value
    /// Metadata of values in it that were slices.
    let kept: [JSONPointer: KeptSlice]
    /// The types that have routes.
    let types: [ActionType]
    /// The links of the chain, in order.
    let links: [ChainLink]
    /// The instances by id.
    let instances: [String: Instance]
    /// The planned instances by id.
    let planned: [String: PlannedInstance]

    /// Copies the parts a difference concerns; called in the drain.
    package init(in turn: Turn, for difference: PlanDifference) {
        links = turn.links
        planned = Dictionary(turn.instances.map { ($0.id, $0.planned) }) { first, _ in first }
        let instances = Dictionary(turn.instances.map { ($0.id, $0) }) { first, _ in first }
        self.instances = instances
        var states: [String: StateCopy] = [:]
        for change in difference.changes where change.step.isOfCode || change.planned.quarantine != nil {
            guard let old = change.before.flatMap({ instances[$0.id] }) else { continue }
            states[change.planned.id] = StateCopy(of: old)
        }
        self.states = states
        standing = instances.compactMapValues { $0.standing?.value }
        sequence = turn.lastSequence
        plain = turn.state.plain
        kept = turn.state.kept
        types = turn.types
    }

    /// Returns the states kept for instances that start, by id.
    func waiting(for difference: PlanDifference) -> [String: VersionedState] {
        var plain = plain
        if let patch = difference.patch { plain.merge(patch) }
        var states: [String: VersionedState] = [:]
        for change in difference.changes where change.step == .start {
            states[change.planned.id] = kept.state(for: change.planned, in: plain)?.state
        }
        return states
    }
}

extension PlanDifference.Step {
    /// Whether other code takes the state over: another library's, a released one's, or none.
    fileprivate var isOfCode: Bool {
        self == .replace(.library) || self == .replace(.quarantine) || self == .replace(.release)
    }
}
