// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Lets programs and people reach the host by HTTP: actions and webhooks in, state, events and a console out.
struct HTTP: Plugin {
    /// What it tells the host of itself.
    enum Action: PluginAction {
        /// A webhook was dispatched; one that comes again is left out.
        case delivered(hook: String, id: String)
    }

    /// The deliveries that came last.
    struct State: Codable, Sendable {
        /// The hook and the id of each, the oldest first.
        var delivered: [String] = []
    }

    /// So many deliveries are known; beyond, the oldest are forgotten.
    static let mostDeliveries = 1_000

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reduce { action, state in
            switch action {
            case .delivered(let hook, let id):
                state.delivered.append(hook + "/" + id)
                state.delivered.removeFirst(max(0, state.delivered.count - mostDeliveries))
            }
        }
    }

    static func middleware() -> Reader {
        Reader { context in AnyMiddleware(HTTPMiddleware(context)) }
    }
}
