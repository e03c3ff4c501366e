// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Counts in its reducer; where it is told to, it answers as well.
struct Tally: Plugin {
    /// The build tool generates what reads and writes these.
    enum Action: PluginAction {
        case bump
        case add(by: Int)
        case bumped
    }

    /// The settings, which say how the instance answers.
    struct Settings: PluginSettings {
        /// Whether each `bump` is answered with a `bumped`.
        var answers = false
    }

    /// The slice: the sum of all numbers so far.
    struct State: Codable, Sendable {
        /// The sum; wraps around.
        var count = 0
    }

    static func initialState(_ settings: Settings) -> State { State() }

    static func middleware() -> Reader {
        Reader { context in
            guard context.settings.answers else {
                return AnyMiddleware(IdentityMiddleware<Action, Action, State>())
            }
            return AnyMiddleware(
                EffectMiddleware<Action, Action, State, Context>(dependencies: context) { action, _, _ in
                    if case .bump = action { .just(.bumped) } else { .doNothing }
                })
        }
    }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reducing { action, state in
            switch action {
            case .bump: state.count &+= 1
            case .add(let by): state.count &+= by
            case .bumped: return .unchanged
            }
            return .changed
        }
    }
}
