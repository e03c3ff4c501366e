// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Counts what is seen by key, and tells the counts at the end of each window; a window begins with the first that is seen.
struct WindowedCounter: Plugin {
    enum Action: PluginAction {
        case seen(key: String)
        case ended
        case counted(counts: [String: Int])
    }

    struct Settings: PluginSettings { var seconds = 60 }

    struct State: Codable, Sendable { var counts: [String: Int] = [:] }

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reducing { action, state in
            switch action {
            case .seen(let key): state.counts[key, default: 0] += 1
            case .ended: return .unchanged
            // What was seen since the counts were taken belongs to the next window.
            case .counted(let counts):
                for (key, count) in counts {
                    let rest = state.counts[key, default: 0] - count
                    state.counts[key] = rest > 0 ? rest : nil
                }
            }
            return .changed
        }
    }

    static func middleware() -> Reader {
        let window = Reader.supervise { state, context in
            guard !state.counts.isEmpty, let clock = context.clock else { return .doNothing }
            let length = Duration.seconds(min(max(context.settings.seconds, 1), 86_400))
            return .timer(every: length, clock: clock.clock) { .ended }
        }
        let counts = Reader.onAction { action, state, _ in
            guard case .ended = action, !state().counts.isEmpty else { return .doNothing }
            return .just(.counted(counts: state().counts))
        } onStopping: { state, _ in
            state().counts.isEmpty ? .doNothing : .just(.counted(counts: state().counts))
        }
        return window <> counts
    }
}
