// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan

/// One place of a chain: an instance, and how action names concern it in one generation.
///
/// Apart from the instance, which may serve in the next generation under other names.
package struct ChainLink {
    /// The instance that stands at this place of the chain.
    package let instance: Instance
    /// How its action names and the host's belong together.
    package let names: LiftedNames
    /// Types of control actions that its gate must see.
    package let controls: [String]
    /// Whether its gate follows the state.
    let followsState: Bool

    /// The place of an instance as it is planned.
    package init(_ instance: Instance, as planned: PlannedInstance) {
        self.instance = instance
        names = planned.names
        controls = planned.entry.gate.controls
        if case .state = planned.entry.gate { followsState = true } else { followsState = false }
    }

    /// The place of an instance as it is.
    package init(_ instance: Instance) { self.init(instance, as: instance.planned) }
}
