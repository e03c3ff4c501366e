// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Sums up actions by key over windows of time.
struct Aggregate: TimedPlugin {
    /// Everything: which actions there are is known to the operator alone.
    typealias Action = AnyAction

    /// What an operator may set.
    struct Settings: PluginSettings {
        /// What is summed up.
        var summaries = Summaries()
    }

    /// What it keeps in its slice.
    struct State: Codable, Sendable {
        /// What is counted at this time, by the name of the summary.
        var windows: [String: Window] = [:]
        /// The last summary of each name.
        var last: [String: Value] = [:]
        /// Summaries that the next tick tells, in order.
        var ready: [Value] = []
        /// What the action in hand tells.
        var told: [Value] = []
        /// How many summaries nobody was told, because no tick came.
        var lost = 0

        /// When the next window ends, in seconds since 1970; nil where nothing is counted.
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
            lost.add(excess)
        }
    }

    /// So many summaries wait for a tick; older ones go, and are counted.
    static let mostReady = 1_000

    /// The local type of the action that ends windows.
    static let tick: ActionType = "tick"
    /// The local type of the action that tells what there is of windows that have not ended, because the run ends.
    static let flush: ActionType = "flush"
    /// The local type of the action that tells a summary.
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

    static func middleware() -> Reader {
        Reader { AnyMiddleware(WindowClock($0)) }
    }

    /// The time of the action in hand; nil without a clock, or for what no clock shows.
    private static func moment(_ now: ActionTime) -> Double? {
        now().flatMap { (0..<Double(Moments.last)).contains($0) ? $0 : nil }
    }
}
