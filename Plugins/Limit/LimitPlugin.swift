// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Stops actions that come too often, twice, or too early, by the operator's rules.
///
/// The interceptor decides and keeps only waiting actions. Its knowledge of keys is in the state, which it changes before the
/// action in hand continues, so that two actions in a row do not see the same.
struct Limit: InterceptingPlugin {
    /// Everything: only the operator knows which actions there are.
    typealias Action = AnyAction

    /// The settings of an operator.
    struct Settings: PluginSettings {
        /// The possible numbers of keys.
        enum KeyLimits: SettingRange { static let range = 1...1_000_000 }

        /// The rules; all that apply to an action must let it pass.
        var rules = NamedSettings<Rule>()
        /// The most keys of each rule at a time.
        @Bounded<KeyLimits> var keys = 10_000
        /// Whether each stopped action is reported by another one.
        var tell = false
    }

    /// The state in its slice.
    struct State: Codable, Sendable {
        /// Each rule's knowledge, by name; absent before its first decision.
        var rules: [String: Ledger] = [:]
    }

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reducing { action, state in
            switch action.type {
            case OwnAction.decided:
                guard let decision = try? (action.payload ?? .null).decode(Decision.self) else {
                    // Another sender's action of the same name.
                    return .unchanged
                }
                for entry in decision.kept {
                    state.rules[entry.rule, default: Ledger()].keep(entry, atMost: settings.keys)
                }
                if let stop = decision.stopped {
                    state.rules[stop.rule, default: Ledger()].stopped.count(stop.key)
                }
                return .changed
            case OwnAction.swept:
                guard let sweep = try? (action.payload ?? .null).decode(Sweep.self) else { return .unchanged }
                state.rules[sweep.rule]?.sweep(sweep)
                return .changed
            default:
                return .unchanged
            }
        }
    }

    static func interceptor(_ context: Context) -> AnyInterceptor<Action, State> {
        AnyInterceptor(LimitInterceptor(context))
    }

    /// Wakes the interceptor when a time of quiet is over, and when the run ends.
    static func middleware() -> Reader {
        .onAction { action, _, context in
            guard [OwnAction.held, OwnAction.due].contains(action.type), let clock = context.clock,
                let wait = try? (action.payload ?? .null).decode(Wait.self)
            else { return .doNothing }
            if action.type == OwnAction.due { return .cancel(wait) }
            // In the background, and forgotten: the end of the input releases waiting actions, and is not delayed by them.
            return .just(AnyAction(OwnAction.due, payload: wait.payload))
                .debounce(wait, for: .seconds(wait.quiet), clock: clock.clock)
                .inBackground.recovering(.forget)
        } onStopping: { _, context in
            context.settings.rules.all.contains { $0.measure.holds }
                ? .just(AnyAction(OwnAction.released)) : .doNothing
        }
    }
}
