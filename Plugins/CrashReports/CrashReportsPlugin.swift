// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Keeps the last actions that reported an error.
///
/// A reducer alone could do it, but no gate stands in front of the actions other instances emit: the middleware hears an
/// error and emits `recorded`, and the reducer stores what that carries. When the gate closes, the emission is dropped
/// and the recording stops.
struct CrashReports: Plugin {
    /// Everything, because any action may report an error. Whether one does is not in its payload, so no enum can tell.
    typealias Action = AnyAction

    /// What an operator may set.
    struct Settings: PluginSettings {
        /// How many reports are kept.
        var limit = Limit()
        /// Whether reports hold the payload.
        var payload = false
    }

    /// What it keeps in its slice.
    struct State: Codable, Sendable {
        /// The last reports, oldest first.
        var reports: [Report] = []
        /// How many there have been, those forgotten and cleared included.
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
                    // Somebody else's action of the same name: without a report in it there is nothing to keep.
                    return .unchanged
                }
                state.reports.removeFirst(max(0, state.reports.count - settings.limit.count))
                // A restored total may be as large as it gets.
                if state.total < .max { state.total += 1 }
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
