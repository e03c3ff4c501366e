// SPDX-License-Identifier: Apache-2.0

package import GatehousePlan
package import GatehouseSDK

/// The gate of one instance as the configuration says, by action or by state.
///
/// A gate that follows no state is also moved by the host's own actions.
package struct InstanceGate {
    /// The id of the instance, as the payload of a host action names it.
    private let id: Value
    /// The gate as the operator configured it.
    private let configuration: GateConfiguration
    /// Looks at the state for a gate that follows it; nil for one that actions move.
    let follower: StateGate?

    /// The gate of an instance.
    ///
    /// - Parameter report: told when the state that it follows cannot be read.
    package init(
        _ planned: PlannedInstance, in tree: StateTree, report: @escaping @Sendable (HostReport) -> Void
    ) {
        let configuration = planned.entry
        id = .string(configuration.id)
        self.configuration = configuration.gate
        if case .state(let pointer) = configuration.gate {
            follower = StateGate(pointer, in: tree) { [id = configuration.id] failure in
                report(.unreadableGate(instance: id, pointer: pointer, failure: failure))
            }
        } else {
            follower = nil
        }
    }

    /// The gate in its first position.
    package var decision: Gate<AnyAction, Void> {
        switch configuration {
        case .active: moved(from: .active)
        case .bypass: moved(from: .bypass)
        case .action(let control, let at, let on, let off, let start):
            moved(
                by: ActionType(control), at: at, on: on, off: off,
                default: start == .active ? .active : .bypass)
        case .state:
            Gate(state: { [follower] in follower?.position ?? .bypass })
        }
    }

    /// A gate moved by the host's own actions alone; most are, so it keeps no more than it needs.
    private func moved(from position: GateState) -> Gate<AnyAction, Void> {
        Gate(
            controlAction: { [id] (action: AnyAction) -> Bool? in
                let opens = action.type == HostActions.openGate
                guard opens || action.type == HostActions.closeGate else { return nil }
                return action.payload == id ? opens : nil
            },
            turnOn: true, turnOff: false, default: position)
    }

    /// A gate moved by a control action, and by the host's own actions.
    private func moved(
        by control: ActionType, at pointer: JSONPointer, on: Value, off: Value, default position: GateState
    ) -> Gate<AnyAction, Void> {
        let id = id
        let open = HostActions.openGate
        let close = HostActions.closeGate
        return Gate(
            controlAction: { (action: AnyAction) -> Value? in
                if action.type == control { return action.payload(at: pointer) ?? .null }
                if action.type == open { return action.payload == id ? on : nil }
                if action.type == close { return action.payload == id ? off : nil }
                return nil
            },
            turnOn: on, turnOff: off, default: position)
    }
}
