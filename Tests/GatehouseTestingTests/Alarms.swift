// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// A plugin that does something of everything: keeps state, waits, stops actions, logs.
struct Alarms: InterceptingPlugin {
    enum Action: PluginAction {
        case set(name: String, after: Double), ring(name: String), cancel(String), wild(Double)
        case refused(name: String), tick, hello

        var isError: Bool { if case .refused = self { true } else { false } }
    }
    struct Settings: PluginSettings {
        var most = 2
        var greeting = "none"
    }
    struct State: Codable, Sendable { var set: [String] = [] }

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reducing { action, state in
            switch action {
            case .set(let name, _): state.set.append(name)
            case .ring(let name), .cancel(let name): state.set.removeAll { $0 == name }
            default: return .unchanged
            }
            return .changed
        }
    }

    static func middleware() -> Reader {
        .onAction { action, state, context in
            switch action {
            case .set(let name, let seconds):
                guard let clock = context.clock else { return .doNothing }
                context.log("\(state().set.count) set")
                return .task(token: name) {
                    do { try await clock.sleep(for: .seconds(seconds)) } catch { return nil }
                    return .ring(name: name)
                }
            case .cancel(let name): return .cancel(name)
            case .wild(let number): return .just(.wild(number * 1e300))
            case .tick:
                return .timer(every: .seconds(1), clock: context.clock?.clock ?? ContinuousClock()) { .hello }
            default: return .doNothing
            }
        }
    }

    static func interceptor(_ context: Context) -> AnyInterceptor<Action, State> {
        AnyInterceptor { action, _, state, output, next in
            guard case .set(let name, _) = action, state().set.count >= context.settings.most else {
                return next()
            }
            output.dispatch(.refused(name: name))
        }
    }
}
