// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Hears one action and does nothing about it: what is left is the way there.
struct Listener: Plugin {
    /// The one action that the listener hears.
    enum Action: PluginAction {
        case ping
    }

    /// The settings, which say how the instance listens.
    struct Settings: PluginSettings {
        /// Whether it answers with an effect, after the reducers, instead of at once.
        var answersWithEffect = false
    }

    static func middleware() -> Reader {
        Reader { context in
            guard context.settings.answersWithEffect else { return AnyMiddleware(Silent()) }
            return AnyMiddleware(
                EffectMiddleware<Action, Action, State, Context>(dependencies: context) { _, _, _ in
                    .doNothing
                })
        }
    }

    /// Has nothing to do before or after the reducers.
    struct Silent: MiddlewareProtocol {
        func handle(action: Action, from dispatcher: ActionSource, state: GetState<State>) -> IO<Action> {
            .pure()
        }
    }
}
