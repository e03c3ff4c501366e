// SPDX-License-Identifier: Apache-2.0

public import GatehouseValue

/// What decides whether an instance takes part.
public enum GateConfiguration: Equatable, Sendable {
    /// Takes part from the start.
    case active
    /// Is passed by from the start, until the operator opens the gate.
    case bypass
    /// Opens or closes when an action of the type `control` has `turnOn` or `turnOff` at `at` in its payload.
    ///
    /// `at` is empty for the whole payload. Until such an action comes, the gate stands as `default` says.
    case action(control: String, at: JSONPointer, turnOn: Value, turnOff: Value, default: Default)
    /// Open while this place of the state holds `true` or `"active"`.
    case state(JSONPointer)

    /// How a gate stands before anything moves it.
    public enum Default: String, CaseIterable, Sendable {
        /// Open.
        case active
        /// Closed.
        case bypass
    }

    /// What becomes of running effects when a gate closes.
    public enum OnClose: String, CaseIterable, Sendable {
        /// They run on; what they emit while the gate is closed is dropped.
        case keep
        /// They are cancelled.
        case cancel
    }
}
