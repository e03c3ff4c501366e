// SPDX-License-Identifier: Apache-2.0

internal import GatehouseManifest
internal import GatehouseSDK

/// What is copied from the running generation at one moment, so that the next one can be built beside it.
struct RunningCopy {
    /// The states of those that get another library, or go into quarantine or out of it, by the id in the new plan.
    let states: [String: StateCopy]
    /// Where the slices of instances in quarantine stand, by id.
    let standing: [String: Standing]
    /// The number of the last action.
    let sequence: UInt64
    /// The state that no instance owns.
    let plain: Value
    /// What is known of values in it that were slices.
    let kept: [JSONPointer: KeptSlice]
    /// The types that have routes.
    let types: [ActionType]
    /// The links of the chain, in order.
    let links: [ChainLink]
    /// The instances by id.
    let instances: [String: Instance]
    /// What the configuration made of them.
    let planned: [String: PlannedInstance]

    /// Copies what a difference concerns; called in the drain.
    init(of generation: Generation, for difference: PlanDifference) {
        links = generation.links
        planned = Dictionary(generation.instances.map { ($0.id, $0.planned) }) { first, _ in first }
        let instances = Dictionary(generation.instances.map { ($0.id, $0) }) { first, _ in first }
        self.instances = instances
        var states: [String: StateCopy] = [:]
        for change in difference.changes where change.step.isOfCode || change.planned.quarantine != nil {
            guard let old = change.before.flatMap({ instances[$0.id] }) else { continue }
            states[change.planned.id] = StateCopy(of: old)
        }
        self.states = states
        standing = instances.compactMapValues { $0.standing?.value }
        sequence = generation.core.lastSequence
        plain = generation.state.state.plain
        kept = generation.state.state.kept
        types = generation.routes.types
    }

    /// The states that are kept for instances that start, by id.
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
    /// Whether other code takes the state over: of another library, of one that was in quarantine, or none.
    fileprivate var isOfCode: Bool {
        self == .replace(.library) || self == .replace(.quarantine) || self == .replace(.release)
    }
}
