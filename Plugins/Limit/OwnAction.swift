// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The local types of the plugin's own actions, which no rule applies to.
enum OwnAction {
    /// Carries a decision into the state; applied only.
    static let decided: ActionType = "decided"
    /// Forgets keys that are no longer needed; applied only.
    static let swept: ActionType = "swept"
    /// Reports a stopped action.
    static let stopped: ActionType = "stopped"
    /// Begins a time of quiet for a waiting action.
    static let held: ActionType = "held"
    /// Ends a time of quiet.
    static let due: ActionType = "due"
    /// Releases all waiting actions, because the run ends.
    static let released: ActionType = "released"

    /// All of them.
    static let all: Set<ActionType> = [decided, swept, stopped, held, due, released]
}
