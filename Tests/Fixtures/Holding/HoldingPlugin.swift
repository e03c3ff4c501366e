// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK
import Glibc

/// Holds a file that only one can hold, from its start to its end.
struct Holding: Plugin {
    enum Action: PluginAction { case add(Int) }
    struct Settings: PluginSettings {
        var file = ""
        var label = ""
    }
    struct State: Codable, Sendable { var sum = 0 }

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reduce { action, state in
            if case .add(let number) = action { state.sum &+= number }
        }
    }

    static func middleware() -> Reader {
        MiddlewareReader { context in AnyMiddleware(Holder(context: context)) }
    }

    /// Takes the file and gives it back.
    private struct Holder: MiddlewareProtocol {
        let context: Context

        func start(state: GetState<State>) -> IO<Action> {
            let file = unsafe open(context.settings.file, O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if file < 0 {
                context.health(.failing("\(context.settings.label) cannot take its file"))
            } else {
                close(file)
            }
            return .pure()
        }

        func stopping(state: GetState<State>) -> IO<Action> {
            unsafe unlink(context.settings.file)
            return .pure()
        }

        func handle(action: Action, from dispatcher: ActionSource, state: GetState<State>) -> IO<Action> {
            .pure()
        }
    }
}
