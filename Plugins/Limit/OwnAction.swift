// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The local types of the plugin's own actions, which no rule is about.
enum OwnAction {
    /// Carries a decision into the state; applied only.
    static let decided: ActionType = "decided"
    /// Forgets keys of which nothing more need be known; applied only.
    static let swept: ActionType = "swept"
    /// Tells that an action was stopped.
    static let stopped: ActionType = "stopped"
    /// Begins a time of quiet for an action that waits.
    static let held: ActionType = "held"
    /// Ends a time of quiet.
    static let due: ActionType = "due"
    /// Lets everything pass that waits, because the run ends.
    static let released: ActionType = "released"

    /// All of them.
    static let all: Set<ActionType> = [decided, swept, stopped, held, due, released]
}
