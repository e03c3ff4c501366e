// SPDX-License-Identifier: Apache-2.0

import CFatal
import GatehouseSDK

/// Ends the process, or hangs, where and how an action says.
struct Doomed: Plugin {
    enum Action: PluginAction {
        /// Does the deed of `fatal.h` at a place: handle, reduce, answer, effect, own (a thread that nobody waits for) or stopping.
        case act(place: String, deed: String)
        /// Is answered with `passed`.
        case pass
        case passed
    }

    struct Settings: PluginSettings {
        /// What is done at the start.
        var start = ""
        /// Whether no JSON can hold its first state.
        var isUnwritable = false
    }

    struct State: Codable, Sendable {
        /// How many actions it heard.
        var heard = 0
        /// What is done at the end.
        var last = ""
        /// No number that JSON can hold; nil in a state that can be written.
        var ratio: Double?
    }

    static func initialState(_ settings: Settings) -> State {
        State(ratio: settings.isUnwritable ? .nan : nil)
    }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reduce { action, state in
            state.heard += 1
            guard case .act(let place, let deed) = action else { return }
            if place == "reduce" { unsafe fatal_do(deed) }
            if place == "stopping" { state.last = deed }
        }
    }

    static func middleware() -> Reader {
        MiddlewareReader { context in AnyMiddleware(Doer(context)) }
    }
}

/// Does things where only a middleware is called.
private final class Doer: MiddlewareProtocol {
    /// What is done at the start.
    private let settings: Doomed.Settings
    /// Starts effects.
    private let effects = EffectMiddleware<Doomed.Action, Doomed.Action, Doomed.State, Void>.onAction {
        action, _, _ in
        switch action {
        case .act("effect", let deed): .run { _ in await Task.detached { unsafe fatal_do(deed) }.value }
        case .pass: .just(.passed)
        default: .doNothing
        }
    }

    init(_ context: Doomed.Context) { settings = context.settings }

    func start(state: GetState<Doomed.State>) -> IO<Doomed.Action> {
        unsafe fatal_do(settings.start)
        return .pure()
    }

    func stopping(state: GetState<Doomed.State>) -> IO<Doomed.Action> {
        unsafe fatal_do(state().last)
        return .pure()
    }

    func handle(
        action: Doomed.Action, from dispatcher: ActionSource, state: GetState<Doomed.State>
    ) -> IO<Doomed.Action> {
        if case .act("handle", let deed) = action { unsafe fatal_do(deed) }
        if case .act("own", let deed) = action { unsafe fatal_do_later(deed) }
        if case .act("answer", let deed) = action { return IO { _ in unsafe fatal_do(deed) } }
        return effects.handle(action: action, from: dispatcher, state: state)
    }
}
