// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

struct Reminder: Plugin {
    enum Action: PluginAction {
        case remind(id: String, after: Double?)  // {"type":"…remind","payload":{"id":"tea","after":0.5}}
        case forget(String)  // {"type":"…forget","payload":"tea"}
        case due(id: String)  // {"type":"…due","payload":{"id":"tea"}}
    }
    struct Settings: PluginSettings { var seconds = 1.0 }
    struct State: Codable, Sendable { var waiting: [String] = [] }

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reducing { action, state in
            let before = state.waiting
            switch action {
            case .remind(let id, _): state.waiting = before.filter { $0 != id } + [id]
            case .forget(let id), .due(let id): state.waiting.removeAll { $0 == id }
            }
            return state.waiting == before ? .unchanged : .changed
        }
    }

    static func middleware() -> Reader {
        .onAction { action, state, context in
            switch action {
            case .remind(let id, let after):
                guard let clock = context.clock else { return .doNothing }
                // A Duration traps on numbers that it cannot hold, so what comes from outside is bounded first.
                let seconds = min(max(after ?? context.settings.seconds, 0), 86_400)
                return .task(token: id) {
                    do { try await clock.sleep(for: .seconds(seconds)) } catch { return nil }
                    return .due(id: id)
                }
            case .forget(let id):
                return context.toCancel(id)
            case .due:
                context.log("\(state().waiting.count) still waiting")
                return .doNothing
            }
        }
    }
}
