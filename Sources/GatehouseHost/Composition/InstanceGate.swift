// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The gate of one instance as the configuration says, by action or by state.
///
/// A gate that follows no state is also moved by the host's own actions.
struct InstanceGate {
    private let id: Value
    private let configuration: GateConfiguration
    private let onClose: GateClosing

    /// The gate of an instance.
    init(_ configuration: InstanceConfiguration) {
        id = .string(configuration.id)
        self.configuration = configuration.gate
        onClose = configuration.onClose == .keep ? .keep : .cancel
    }

    /// The place of the state that moves it, nil when actions do.
    var statePointer: JSONPointer? {
        if case .state(let pointer) = configuration { pointer } else { nil }
    }

    /// The types of the actions that move it.
    var controls: [ActionType] {
        switch configuration {
        case .active, .bypass: [HostActions.openGate, HostActions.closeGate]
        case .action(let control, _, _, _, _): [HostActions.openGate, HostActions.closeGate, ActionType(control)]
        case .state: []
        }
    }

    /// Puts the gate in front of a middleware.
    func closing(
        _ middleware: AnyMiddleware<AnyAction, AnyAction, HostState>
    ) -> GatedMiddleware<AnyMiddleware<AnyAction, AnyAction, HostState>> {
        switch configuration {
        case .active: closing(middleware, control: nil, at: .whole, on: true, off: false, default: .active)
        case .bypass: closing(middleware, control: nil, at: .whole, on: true, off: false, default: .bypass)
        case .action(let control, let at, let on, let off, let start):
            closing(
                middleware, control: ActionType(control), at: at, on: on, off: off,
                default: start == .active ? .active : .bypass)
        case .state(let pointer): middleware.gated(stateMap: StateGate(pointer).callAsFunction, onClose: onClose)
        }
    }

    private func closing(
        _ middleware: AnyMiddleware<AnyAction, AnyAction, HostState>, control: ActionType?, at pointer: JSONPointer,
        on: Value, off: Value, default gate: GateState
    ) -> GatedMiddleware<AnyMiddleware<AnyAction, AnyAction, HostState>> {
        let id = id
        return middleware.gated(
            controlActionMap: { (action: AnyAction) -> Value? in
                if action.type == control { return action.payload(at: pointer) ?? .null }
                if action.type == HostActions.openGate { return action.payload == id ? on : nil }
                if action.type == HostActions.closeGate { return action.payload == id ? off : nil }
                return nil
            },
            turnOn: on, turnOff: off, default: gate, onClose: onClose)
    }
}
