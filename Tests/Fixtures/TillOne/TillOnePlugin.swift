// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Taxes sales at 20 per cent and counts what comes in; the version that was tried on nothing else.
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
            case .sold(let amount): .just(.taxed(amount + amount / 5))
            case .ask: .task { .receipt }
            case .taxed, .receipt: .doNothing
            }
        }
    }
}
