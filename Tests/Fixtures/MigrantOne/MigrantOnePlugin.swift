// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Adds numbers up; the first form of its state, which `MigrantTwo` reads.
struct Migrant: Plugin {
    enum Action: PluginAction {
        case add(Int)
        /// What the next version is to do with the state.
        case plan(deed: String)
    }

    struct State: Codable, Sendable {
        var total = 0
        var deed = ""
    }

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reduce { action, state in
            switch action {
            case .add(let number): state.total &+= number
            case .plan(let deed): state.deed = deed
            }
        }
    }

    static func middleware() -> Reader { .doNothing() }
}
