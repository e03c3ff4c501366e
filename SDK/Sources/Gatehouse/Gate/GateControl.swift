// SPDX-License-Identifier: Apache-2.0

/// The ways in which a gate decides.
@usableFromInline
enum GateControl<Action: Sendable, State> {
    /// By actions: nil for an ordinary action, otherwise what the control action asks for.
    case action((Action) -> GateRequest?)
    /// By state, asked each time.
    case state((State) -> GateState)
}

/// What a control action asks of a gate.
@usableFromInline
enum GateRequest: Sendable {
    /// Set the gate to this.
    case become(GateState)
    /// Leave the gate as it is.
    case leave
}
