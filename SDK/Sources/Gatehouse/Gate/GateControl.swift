// SPDX-License-Identifier: Apache-2.0

/// The ways in which a gate decides.
@usableFromInline
enum GateControl<Action: Sendable, State> {
    /// By actions: nil for an ordinary action, otherwise the control action's request.
    case action((Action) -> GateRequest?)
    /// By state, read each time.
    case state((State) -> GateState)
}

/// A control action's request to a gate.
@usableFromInline
enum GateRequest: Sendable {
    /// Move the gate to this position.
    case become(GateState)
    /// Leave the gate as it is.
    case leave
}
