// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// A plugin whose settings script its behaviour, and which logs each of its steps; both sides of the law run its parts.
struct LawPlugin: Plugin {
    /// Actions that differ by name alone; each carries a number.
    enum Action: PluginAction {
        case a(Int), b(Int), c(Int), d(Int)

        /// Returns the action with a local name, nil for an unknown name.
        init?(_ name: String, _ number: Int) {
            switch name {
            case "a": self = .a(number)
            case "b": self = .b(number)
            case "c": self = .c(number)
            case "d": self = .d(number)
            default: return nil
            }
        }

        /// The local name and the number.
        var parts: (name: String, number: Int) {
            switch self {
            case .a(let number): ("a", number)
            case .b(let number): ("b", number)
            case .c(let number): ("c", number)
            case .d(let number): ("d", number)
            }
        }
    }

    /// How an instance responds to one local name.
    struct Rule: Codable, Sendable {
        /// The local name.
        var name = ""
        /// The local names that the IO of its middleware emits, after it has looked at the state.
        var emits: [String] = []
        /// The local names that its effect emits.
        var effects: [String] = []
        /// Whether its reducer writes.
        var writes = false
        /// What the interceptor does with the action; instances without an interceptor do not look here.
        var passage = Passage.pass
        /// The local name that the interceptor changes the action to, or emits instead of it.
        var other = ""
    }

    /// What an interceptor does with an action.
    enum Passage: String, Codable, Sendable, CaseIterable {
        /// Lets it pass as it came.
        case pass
        /// Lets another one pass in its place.
        case change
        /// Keeps it for itself.
        case stop
        /// Keeps it for itself, and emits another one.
        case emit
        /// Lets it pass as it came, and another one in its turn.
        case twice
    }

    /// The script of an instance; the rules are for the names in its order.
    struct Settings: PluginSettings {
        var id = ""
        var rules: [Rule] = []

        /// The rule for an action; an action without one is only logged.
        func rule(for action: Action) -> Rule { rules.first { $0.name == action.parts.name } ?? Rule() }
    }

    /// A number that each write mixes up, and a flag for gates.
    struct State: Codable, Sendable, CustomStringConvertible {
        var number = 0
        var isOn = false

        var description: String { "\(number) \(isOn ? "on" : "off")" }
    }

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        let log = LawLog.current
        return Reducer { action, state in
            log.note("\(settings.id) reduces \(action) from \(state)")
            guard settings.rule(for: action).writes else { return .unchanged }
            state.number = (state.number * 3 + action.parts.number + 1) % 97
            state.isOn = state.number % 3 != 0
            return .changed
        }
    }

    static func middleware() -> Reader { MiddlewareReader { middleware($0.settings) } }

    /// The middlewares under a script: one that returns IO, and one that returns effects.
    static func middleware(_ settings: Settings) -> AnyMiddleware<Action, Action, State> {
        let log = LawLog.current
        let effects = EffectMiddleware<Action, Action, State, Void>.onAction { action, state, _ in
            log.note("\(settings.id) gives effects for \(action) seeing \(state())")
            let outputs = outputs(settings.rule(for: action).effects, of: action)
            return outputs.count == 1 ? .just(outputs[0]) : .sequence(outputs, from: .here())
        }
        return ComposedMiddleware([
            LawMiddleware(settings: settings, log: log).eraseToAnyMiddleware(),
            effects.eraseToAnyMiddleware(),
        ]).eraseToAnyMiddleware()
    }

    /// The interceptor under a script.
    static func interceptor(_ settings: Settings) -> AnyInterceptor<Action, State> {
        let log = LawLog.current
        return AnyInterceptor { action, _, state, output, next in
            let rule = settings.rule(for: action)
            log.note("\(settings.id) intercepts \(action) seeing \(state()): \(rule.passage)")
            let other = outputs([rule.other], of: action).first ?? action
            switch rule.passage {
            case .pass: next()
            case .change: next(other)
            case .stop: break
            case .emit: output.dispatch(other)
            case .twice:
                next()
                next(other)
            }
            log.note("\(settings.id) is through with \(action) seeing \(state())")
        }
    }

    /// The actions with these names that answer an action, whose number they count up.
    static func outputs(_ names: [String], of action: Action) -> [Action] {
        names.compactMap { Action($0, (action.parts.number + 1) % 5) }
    }
}
