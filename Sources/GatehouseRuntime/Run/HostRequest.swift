// SPDX-License-Identifier: Apache-2.0

internal import GatehousePlan
package import GatehouseSDK

/// What an action asks of the host itself.
package enum HostRequest {
    /// To merge the payload into the plain state.
    case mergeState
    /// To move the gate of the instance that the payload names.
    case moveGate
    /// To look at the configuration again.
    case reload
    /// To let what the payload names out of quarantine.
    case release

    /// The type of the action that lets a library out of quarantine; its payload is the id of an instance or a plugin, or a digest.
    package static let releaseType = ActionType("host/release")

    /// What a type asks for, nil for a type that is not the host's own.
    package init?(_ type: ActionType) {
        switch type {
        case HostActions.mergeState: self = .mergeState
        case HostActions.openGate, HostActions.closeGate: self = .moveGate
        case HostActions.reload: self = .reload
        case Self.releaseType: self = .release
        default: return nil
        }
    }
}
