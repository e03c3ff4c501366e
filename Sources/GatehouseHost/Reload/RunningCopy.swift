// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What is copied from the running generation at one moment, so that the next one can be built beside it.
struct RunningCopy {
    /// The states of those that get another library, by the id in the new plan.
    let states: [String: StateCopy]
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
        for change in difference.changes where change.step == .replace(.library) {
            guard let old = change.before.flatMap({ instances[$0.id] }) else { continue }
            states[change.planned.id] = StateCopy(of: old)
        }
        self.states = states
        plain = generation.state.state.plain
        kept = generation.state.state.kept
        types = generation.routes.types
    }
}
