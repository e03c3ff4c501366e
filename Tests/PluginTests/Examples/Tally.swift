// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Counts, and tells the total at the end: the middleware with last words that the guide for plugin authors shows.
struct Tally: Plugin {
    enum Action: PluginAction {
        case count
        case total(Int)
    }

    struct State: Codable, Sendable {
        var count = 0
    }

    static func initialState(_ settings: NoSettings) -> State { State() }

    static func reducer(_ settings: NoSettings) -> Reducer<Action, State> {
        .reduce { action, state in
            if case .count = action { state.count += 1 }
        }
    }

    static func middleware() -> Reader {
        .onAction { action, state, context in
            .doNothing
        } onStopping: { state, context in
            .just(.total(state().count))
        }
    }
}
