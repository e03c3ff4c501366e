// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// What an action asks of the host itself.
enum HostRequest {
    /// To merge the payload into the plain state.
    case mergeState
    /// To move the gate of the instance that the payload names.
    case moveGate
    /// To look at the configuration again.
    case reload

    /// What a type asks for, nil for a type that is not the host's own.
    init?(_ type: ActionType) {
        switch type {
        case HostActions.mergeState: self = .mergeState
        case HostActions.openGate, HostActions.closeGate: self = .moveGate
        case HostActions.reload: self = .reload
        default: return nil
        }
    }
}
