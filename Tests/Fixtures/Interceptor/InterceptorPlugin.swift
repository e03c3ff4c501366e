// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Decides about actions as a test of the host asks.
struct Interceptor: InterceptingPlugin {
    /// What it hears and emits.
    enum Action: PluginAction {
        /// Goes on as it came.
        case pass(number: Int)
        /// Goes on as `changed`.
        case change(number: Int)
        /// Goes on with the setting `add` added, if there is something to add.
        case changed(number: Int)
        /// Goes nowhere; `stopped` is emitted.
        case stop(number: Int)
        /// The answer to `stop`.
        case stopped(number: Int)
        /// Goes on from another thread.
        case later(number: Int)
        /// Waits until the gate moves.
        case keep(number: Int)
        /// Goes on as it came, and again as `changed`.
        case twice(number: Int)
        /// Goes on as `secret`.
        case leak
        /// Not declared in the manifest.
        case secret
        /// Goes on, once `noted` has been applied.
        case note(number: Int)
        /// Applied only, never heard or emitted.
        case noted(number: Int)
        /// An action that is stopped here, so that nobody after it hears it.
        case halt(String)
    }

    /// The settings, which an operator may change.
    struct Settings: PluginSettings {
        /// Added to the number of `changed`.
        var add = 0
    }

    /// The slice: what the interceptor has seen.
    struct State: Codable, Sendable {
        /// The actions that came to the reducer: case and number.
        var reduced: [String] = []
    }

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reduce { action, state in
            let (name, number) =
                switch action {
                case .pass(let number): ("pass", number)
                case .changed(let number): ("changed", number)
                case .later(let number): ("later", number)
                case .keep(let number): ("keep", number)
                case .twice(let number): ("twice", number)
                case .change(let number): ("change", number)
                case .stop(let number): ("stop", number)
                case .note(let number): ("note", number)
                case .noted(let number): ("noted", number)
                case .stopped, .leak, .secret, .halt: ("other", 0)
                }
            state.reduced.append("\(name) \(number)")
        }
    }

    static func middleware() -> Reader { .doNothing() }

    static func interceptor(_ context: Context) -> AnyInterceptor<Action, State> {
        AnyInterceptor(Desk(add: context.settings.add, log: context.log))
    }

    /// The interceptor, which decides about each action.
    private final class Desk: InterceptorProtocol {
        private let add: Int
        private let log: PluginLog
        private var kept: [Next<Action>] = []

        init(add: Int, log: PluginLog) {
            self.add = add
            self.log = log
        }

        func intercept(
            action: Action, from dispatcher: ActionSource, state: OwnState<Action, State>,
            output: AnyActionHandler<Action>, next: Next<Action>
        ) {
            switch action {
            case .pass:
                let before = state().reduced.count
                next()
                log("\(before) before, \(state().reduced.count) after")
            case .change(let number): next(.changed(number: number + add))
            case .changed(let number): add == 0 ? next() : next(.changed(number: number + add))
            case .stop(let number): output.dispatch(.stopped(number: number))
            case .later:
                let next = next.holdingRun()
                Task { next() }
            case .keep: kept.append(next)
            case .twice(let number):
                next()
                next(.changed(number: number))
            case .leak: next(.secret)
            case .note(let number):
                state.apply(.noted(number: number + state().reduced.count))
                next()
                log("\(state().reduced)")
            case .stopped, .secret, .noted: next()
            case .halt: break
            }
        }

        func gateChanged(to gate: GateState) {
            log("gate \(gate)")
            for next in kept { next() }
            kept = []
        }
    }
}
