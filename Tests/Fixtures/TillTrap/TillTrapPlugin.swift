// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The same as `TillOne`, but it traps on sales of 100 and more.
struct Till: Plugin {
    enum Action: PluginAction {
        case sold(Int)
        case taxed(Int)
        /// Asks for a receipt, which comes later.
        case ask
        case receipt
    }

    struct State: Codable, Sendable {
        var total = 0
        var receipts = 0
    }

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reduce { action, state in
            switch action {
            case .taxed(let amount): state.total &+= amount
            case .receipt: state.receipts += 1
            case .sold, .ask: break
            }
        }
    }

    static func middleware() -> Reader {
        .onAction { action, _, _ in
            switch action {
            case .sold(let amount) where amount >= 100: fatalError("no change for \(amount)")
            case .sold(let amount): .just(.taxed(amount + amount / 5))
            case .ask: .task { .receipt }
            case .taxed, .receipt: .doNothing
            }
        }
    }
}
