// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Synchronization

/// Goes on emitting when it is gone.
struct Lingering: Plugin {
    enum Action: PluginAction {
        /// Keeps what it can emit through.
        case linger
        /// Emits through all that was kept.
        case speak(String)
        case said(String)
    }
    struct Settings: PluginSettings { var label = "" }
    struct State: Codable, Sendable { var said: [String] = [] }

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reduce { action, state in
            if case .said(let text) = action { state.said.append(text) }
        }
    }

    /// What instances of this library have kept, those that have gone too.
    private static let kept = Mutex<(effects: [EffectOutput<Action>], handlers: [AnyActionHandler<Action>])>(
        ([], []))

    static func middleware() -> Reader {
        MiddlewareReader { context in
            let effects = EffectMiddleware<Action, Action, State, Context>(dependencies: context) {
                action, _, _ in
                guard case .linger = action else { return .doNothing }
                return .start { _, output in kept.withLock { $0.effects.append(output) } }.inBackground
            }
            return (AnyMiddleware(effects) <> AnyMiddleware(Speaker())).eraseToAnyMiddleware()
        }
    }

    /// Keeps handlers, and speaks.
    private struct Speaker: MiddlewareProtocol {
        func handle(action: Action, from dispatcher: ActionSource, state: GetState<State>) -> IO<Action> {
            switch action {
            case .linger: return IO { output in kept.withLock { $0.handlers.append(output) } }
            case .speak(let text):
                let (effects, handlers) = kept.withLock { $0 }
                return IO { _ in
                    for effect in effects { effect.send(.said(text + " from an effect")) }
                    for handler in handlers { handler.dispatch(.said(text + " from an IO")) }
                }
            case .said: return .pure()
            }
        }
    }
}
