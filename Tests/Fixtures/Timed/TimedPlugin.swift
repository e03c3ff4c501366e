// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Has effects that take time, each in another way.
struct Timed: Plugin {
    enum Action: PluginAction {
        /// Asks for `due` when the time is over, by the clock that is granted.
        case remind(id: String, after: Double)
        /// Cancels the reminder with this id.
        case forget(id: String)
        /// The time of a reminder is over.
        case due(id: String)
        /// Asks for `tick` at the end of each minute, in the background.
        case watch
        case tick
        /// Asks for `answered` by a task that no host knows.
        case ask
        case answered
        /// Starts an effect that never ends.
        case stay
        /// Starts an effect that works without an end.
        case spin
        /// Makes `handle` never return.
        case loop
        /// Asks for `dated` with the time of day.
        case date
        case dated(Double)
        /// Asks for `named` with the name of what it starts, and for another `name` until so many are left.
        case name(Int)
        case named(String?)
    }

    static func middleware() -> Reader {
        .onAction { action, _, context in
            guard let clock = context.clock else { return .doNothing }
            switch action {
            case .remind(let id, let seconds):
                return .task(token: id) {
                    do { try await clock.sleep(for: .seconds(seconds)) } catch { return nil }
                    return .due(id: id)
                }
            case .forget(let id): return context.toCancel(id)
            case .watch: return .timer(every: .seconds(60), clock: clock.clock) { .tick }
            case .ask:
                return .promise { answer in
                    Task.detached { answer(.answered) }
                }
            case .stay: return .start { _, output in output.onCancel { _ = output } }
            case .spin:
                return .run { _ in while !Task.isCancelled { await Task.yield() } }
            case .loop: while true {}
            case .date: return .just(.dated(clock.unixTime()))
            case .name(let left):
                return left > 1
                    ? .sequence(.named(context.effectKey), .name(left - 1)) : .just(.named(context.effectKey))
            case .due, .tick, .answered, .dated, .named: return .doNothing
            }
        }
    }
}
