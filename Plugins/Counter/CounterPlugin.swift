// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Counts up and down; keeps state and does nothing else.
struct Counter: Plugin {
    /// What it hears; without `by` it counts by the step of its settings.
    enum Action: PluginAction {
        /// Adds to the count.
        case increment(by: Int?)
        /// Takes from the count.
        case decrement(by: Int?)
        /// Goes back to the start.
        case reset
    }

    /// What an operator may set.
    struct Settings: PluginSettings {
        /// The count of a fresh instance and after `reset`.
        var start = 0
        /// What an action without `by` counts.
        var step = 1
    }

    /// What it keeps in its slice.
    struct State: Codable, Sendable {
        /// Stays at the limits of a 64-bit number instead of passing them.
        var count: Int
    }

    static func initialState(_ settings: Settings) -> State {
        State(count: settings.start)
    }

    static func middleware() -> Reader { .doNothing() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reducing { action, state in
            let before = state.count
            switch action {
            case .increment(let by): state.count = before.saturatingAdding(by ?? settings.step)
            case .decrement(let by): state.count = before.saturatingSubtracting(by ?? settings.step)
            case .reset: state.count = settings.start
            }
            // Observers are told about changes only, so a count that stays is worth saying.
            return state.count == before ? .unchanged : .changed
        }
    }
}
