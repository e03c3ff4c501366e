// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The same as `TillOne`, but for the tax on sales of 100 and more: 25 per cent.
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
            case .sold(let amount): .just(.taxed(amount + amount / (amount < 100 ? 5 : 4)))
            case .ask: .task { .receipt }
            case .taxed, .receipt: .doNothing
            }
        }
    }
}
