// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Sums up actions by key over windows of time.
struct Aggregate: TimedPlugin {
    /// Everything: only the operator knows which actions there are.
    typealias Action = AnyAction

    /// The settings of an operator.
    struct Settings: PluginSettings {
        /// The summaries by name.
        var summaries = NamedSettings<Summary>()
    }

    /// The state in its slice.
    struct State: Codable, Sendable {
        /// The current windows, by the name of the summary.
        var windows: [String: Window] = [:]
        /// The last summary of each name.
        var last: [String: Value] = [:]
        /// Summaries for the next tick to emit, in order.
        var ready: [Value] = []
        /// The summaries to emit for the action in hand.
        var told: [Value] = []
        /// The number of summaries dropped for lack of a tick.
        var lost = 0

        /// Returns the end of the next window, in seconds since 1970; nil if nothing is counted.
        func end(for summaries: [Summary]) -> Double? {
            if !ready.isEmpty { return 0 }
            return summaries.compactMap { windows[$0.name]?.end(for: $0) }.min()
        }

        /// Ends the windows that are over at a moment.
        fileprivate mutating func roll(to moment: Double, _ summaries: [Summary]) {
            for summary in summaries {
                guard let found = windows[summary.name]?.roll(to: moment, for: summary),
                    let newest = found.last
                else { continue }
                last[summary.name] = newest
                ready += found
                if windows[summary.name]?.isEmpty == true { windows[summary.name] = nil }
            }
            let excess = max(0, ready.count - mostReady)
            ready.removeFirst(excess)
            lost.saturatingAdd(excess)
        }
    }

    /// The most summaries waiting for a tick; older ones are dropped and counted.
    static let mostReady = 1_000

    /// The local type of the action that ends windows.
    static let tick: ActionType = "tick"
    /// The local type of the action that reports unfinished windows at the end of the run.
    static let flush: ActionType = "flush"
    /// The local type of the action that carries a summary.
    static let summary: ActionType = "summary"

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings, now: ActionTime) -> Reducer<Action, State> {
        let summaries = settings.summaries.all
        return .reducing { action, state in
            switch action.type {
            case tick, flush:
                guard let moment = moment(now) else { return .unchanged }
                state.roll(to: moment, summaries)
                state.told = state.ready
                state.ready = []
                if action.type == flush {
                    state.told += summaries.compactMap { state.windows[$0.name]?.partial(for: $0) }
                }
                return .changed
            case summary: return .unchanged
            default:
                let concerned = summaries.filter { $0.when.contains(action.type) }
                guard !concerned.isEmpty, let moment = moment(now) else { return .unchanged }
                state.roll(to: moment, concerned)
                for summary in concerned {
                    state.windows[summary.name, default: Window()].add(action, at: moment, for: summary)
                }
                return .changed
            }
        }
    }

    static func middleware() -> Reader { Reader { AnyMiddleware(WindowClock($0)) } }

    /// Returns the time of the action in hand; nil without a clock, or for an impossible time.
    private static func moment(_ now: ActionTime) -> Double? {
        now().flatMap { (0..<Double(Moments.last)).contains($0) ? $0 : nil }
    }
}
