// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Keeps the last actions that reported an error.
///
/// A reducer alone could do it, but no gate stands before the actions that other instances emit. So the middleware hears
/// an error and emits `recorded`, and the reducer stores its payload. When the gate closes, the emission is dropped and
/// the recording stops.
struct CrashReports: Plugin {
    /// Everything, because any action may report an error. That is not in its payload, so no enum can tell.
    typealias Action = AnyAction

    /// The settings of an operator.
    struct Settings: PluginSettings {
        /// The possible numbers of reports.
        enum Limits: SettingRange { static let range = 1...1_000 }

        /// The number of reports to keep.
        @Bounded<Limits> var limit = 20
        /// Whether reports hold the payload.
        var payload = false
    }

    /// The state in its slice.
    struct State: Codable, Sendable {
        /// The last reports, oldest first.
        var reports: [Report] = []
        /// The number of reports so far, including forgotten and cleared ones.
        var total: UInt64 = 0
    }

    /// Carries a report from the middleware to the reducer.
    private static let recorded: ActionType = "recorded"
    /// The local type of the action that empties the list.
    private static let clear: ActionType = "clear"

    static func initialState(_ settings: Settings) -> State { State() }

    static func middleware() -> Reader {
        .onAction { action, _, context in
            guard action.isError else { return .doNothing }
            let report = Report(
                type: action.type.name, source: context.dispatcher, at: context.clock?.unixTime(),
                payload: context.settings.payload ? action.payload : nil)
            do {
                return .just(AnyAction(recorded, payload: try Value(encoding: report)))
            } catch {
                context.log(.warning, "the error \(report.type) is not recorded: \(CodingFailure(error))")
                return .doNothing
            }
        }
    }

    static func reducer(_ settings: Settings) -> Reducer<Action, State> {
        .reducing { action, state in
            switch action.type {
            case recorded:
                do {
                    state.reports.append(try (action.payload ?? .null).decode(Report.self))
                } catch {
                    // Another sender's action of the same name, without a report to keep.
                    return .unchanged
                }
                state.reports.removeFirst(max(0, state.reports.count - settings.limit))
                state.total.saturatingAdd(1)
                return .changed
            case clear where !state.reports.isEmpty:
                state.reports = []
                return .changed
            default:
                return .unchanged
            }
        }
    }
}
