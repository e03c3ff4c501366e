// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Emits actions at the operator's times.
///
/// A clockwork ticks whenever a job is due. The reducer, which gets the time of the tick, decides what is due and keeps the
/// decision, so that a journal decides the same. The middleware emits the reducer's decisions.
struct Schedule: TimedPlugin {
    /// Its own two, and any type that an operator wants to emit.
    typealias Action = AnyAction

    /// The settings of an operator.
    struct Settings: PluginSettings {
        /// The jobs by name.
        var jobs = NamedSettings<JobDefinition>()
        /// The time zone of jobs without one of their own.
        var timeZone = Zone()

        /// The jobs in their zones, in the order written.
        var all: [Job] { jobs.all.map { $0.job(in: timeZone) } }
    }

    /// The state in its slice.
    struct State: Codable, Sendable {
        /// The record of each job, by name.
        var jobs: [String: JobRecord] = [:]
        /// The decisions at the last look at the time.
        var due: [Due] = []
    }

    /// The local type of the action that makes the reducer look at the time.
    static let tick: ActionType = "tick"
    /// The local type of the action that reports missed moments.
    static let missed: ActionType = "missed"

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings, now: ActionTime) -> Reducer<Action, State> {
        let jobs = settings.all
        return .reducing { action, state in
            guard action.type == tick, let now = now().flatMap(Moments.whole) else { return .unchanged }
            state.due = []
            // Forget jobs that no longer exist, or a changing configuration would fill the state.
            var records: [String: JobRecord] = [:]
            for job in jobs {
                let (record, due) = job.look(at: now, knowing: state.jobs[job.name])
                records[job.name] = record
                if let due { state.due.append(due) }
            }
            state.jobs = records
            return .changed
        }
    }

    static func middleware() -> Reader { Reader { AnyMiddleware(Clockwork($0)) } }
}
