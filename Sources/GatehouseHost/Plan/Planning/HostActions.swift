// SPDX-License-Identifier: Apache-2.0

internal import GatehouseSDK

/// The types of the host's own actions.
enum HostActions {
    /// Opens the gate of the instance whose id is the payload.
    static let openGate = ActionType("host/gate/open")
    /// Closes the gate of the instance whose id is the payload.
    static let closeGate = ActionType("host/gate/close")
    /// Merges the payload, a JSON merge patch, into the plain state.
    static let mergeState = ActionType("host/state/merge")

    /// Every type below `host/` that does something.
    static let all = [openGate, closeGate, mergeState]
}
