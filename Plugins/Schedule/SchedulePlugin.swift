// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// Emits actions at the times that an operator has set.
///
/// A clockwork ticks whenever a job is due; the reducer, which is told when the tick came, decides what that comes to and keeps it,
/// so that a journal decides the same; the middleware emits what the reducer has decided.
struct Schedule: TimedPlugin {
    /// Its own two, and any type that an operator wants to be emitted.
    typealias Action = AnyAction

    /// What an operator may set.
    struct Settings: PluginSettings {
        /// What is emitted, and when.
        var jobs = Jobs()
        /// The time zone of jobs that have none of their own.
        var timeZone = Zone()

        /// The jobs in their zones, in the order written.
        var all: [Job] { jobs.all.map { $0.job(in: timeZone) } }
    }

    /// What it keeps in its slice.
    struct State: Codable, Sendable {
        /// What is known of each job, by its name.
        var jobs: [String: JobRecord] = [:]
        /// What the last look at the time came to.
        var due: [Due] = []
    }

    /// The local type of the action that has the reducer look at the time.
    static let tick: ActionType = "tick"
    /// The local type of the action that tells about moments that nobody was there for.
    static let missed: ActionType = "missed"

    static func initialState(_ settings: Settings) -> State { State() }

    static func reducer(_ settings: Settings, now: ActionTime) -> Reducer<Action, State> {
        let jobs = settings.all
        return .reducing { action, state in
            guard action.type == tick, let now = now().flatMap(Moments.whole) else { return .unchanged }
            state.due = []
            // What is known of jobs that are no more is forgotten, or a changing configuration would fill the state.
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

    static func middleware() -> Reader {
        Reader { AnyMiddleware(Clockwork($0)) }
    }
}
