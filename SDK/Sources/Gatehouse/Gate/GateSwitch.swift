// SPDX-License-Identifier: Apache-2.0

/// The decision of one gate, apart from what it gates.
///
/// Outputs that come late ask the switch, so that they neither keep the gated middleware alive nor form a cycle with it.
/// Used in the drain only.
@usableFromInline
final class GateSwitch<Action: Sendable, State> {
    /// How the gate decides.
    @usableFromInline let control: GateControl<Action, State>
    /// What was decided last; by state, what was seen last.
    @usableFromInline var gate: GateState
    /// How many outputs were dropped because the gate was closed.
    @usableFromInline var droppedOutputs = 0
    /// Reads the state for looks at the gate between actions.
    @usableFromInline var state: GetState<State>?

    /// A switch in its first position.
    @inlinable
    init(control: GateControl<Action, State>, gate: GateState) {
        self.control = control
        self.gate = gate
    }

    /// Whether an output may pass at this moment; never changes the gate.
    @usableFromInline
    var letsOutputsPass: Bool {
        guard case .state(let map) = control, let state else { return gate == .active }
        return map(state()) == .active
    }
}
