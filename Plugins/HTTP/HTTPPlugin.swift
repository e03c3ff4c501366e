// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Lets programs and people reach the host by HTTP: actions and webhooks in, state, events and a console out.
struct HTTP: Plugin {
    /// The plugin's own action.
    enum Action: PluginAction {
        /// A webhook was dispatched, so a repetition is left out. `body` is the digest of a body that must not come under
        /// another id.
        case delivered(hook: String, id: String, body: String?)
    }

    /// The latest deliveries.
    struct State: Codable, Sendable {
        /// The hook and the id of each, the oldest first.
        var delivered: [String] = []
        /// The hook and body digest of deliveries that only the body tells from a replay; nil for none so far.
        var bodies: [String]?
    }

    /// The number of known deliveries; beyond, the oldest are forgotten.
    static let mostDeliveries = 1_000

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reduce { action, state in
            switch action {
            case .delivered(let hook, let id, let body):
                keep(hook + "/" + id, in: &state.delivered)
                if let body {
                    var bodies = state.bodies ?? []
                    keep(hook + body, in: &bodies)
                    state.bodies = bodies
                }
            }
        }
    }

    /// Appends a name, and forgets the oldest beyond the limit.
    private static func keep(_ name: String, in names: inout [String]) {
        names.append(name)
        names.removeFirst(max(0, names.count - mostDeliveries))
    }

    static func middleware() -> Reader { Reader { context in AnyMiddleware(HTTPMiddleware(context)) } }
}
