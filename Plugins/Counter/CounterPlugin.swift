// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Counts up and down; keeps state and does nothing else.
struct Counter: Plugin {
    /// The plugin's actions; without `by` they count by the step of its settings.
    enum Action: PluginAction {
        /// Adds to the count.
        case increment(by: Int?)
        /// Subtracts from the count.
        case decrement(by: Int?)
        /// Resets the count to the start.
        case reset
    }

    /// The settings of an operator.
    struct Settings: PluginSettings {
        /// The count of a fresh instance and after `reset`.
        var start = 0
        /// The amount of an action without `by`.
        var step = 1
    }

    /// The state in its slice.
    struct State: Codable, Sendable {
        /// The count; stays at the limits of a 64-bit number instead of passing them.
        var count: Int
    }

    static func initialState(_ settings: Settings) -> State { State(count: settings.start) }

    static func middleware() -> Reader { .doNothing() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reducing { action, state in
            let before = state.count
            switch action {
            case .increment(let by): state.count = before.saturatingAdding(by ?? settings.step)
            case .decrement(let by): state.count = before.saturatingSubtracting(by ?? settings.step)
            case .reset: state.count = settings.start
            }
            // Observers are notified only of changes, so report a count that stays.
            return state.count == before ? .unchanged : .changed
        }
    }
}
