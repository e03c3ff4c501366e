// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// One job: an action and the times of its emission.
struct Job: Sendable {
    /// The treatment of missed moments.
    enum Missed: String, Codable, Sendable {
        /// Emits the action `missed`.
        case tell
        /// Emits the job's action once, for any number of moments.
        case run
        /// Only counts them.
        case skip
    }

    /// Its name, also of its part of the state.
    let name: String
    /// The times.
    let recurrence: Recurrence
    /// The times as text in the state: a job with another text is another job.
    let definition: String
    /// The type it emits.
    let emit: ActionType
    /// The payload it emits; nil for none.
    let payload: Value?
    /// The treatment of missed moments.
    let missed: Missed

    /// The greatest delay of a punctual action, in seconds.
    static let patience: Int64 = 60
    /// How far a clock may be set back before a job starts over, in seconds; for less, it waits.
    static let setback: Int64 = 300

    /// Returns the decision at one look at the time, and the job's new record.
    ///
    /// - Parameter record: its record so far; nil for none.
    func look(at now: Int64, knowing record: JobRecord?) -> (record: JobRecord, due: Due?) {
        guard var record, record.definition == definition, record.last <= now + Self.setback else {
            return (JobRecord(definition: definition, last: now), nil)
        }
        guard let passed = recurrence.passed(after: record.last, to: now) else { return (record, nil) }
        let isInTime = now - passed.latest <= Self.patience
        let runs = isInTime || missed == .run
        let lost = passed.count - (runs ? 1 : 0)
        record.last = passed.latest
        record.note(runs: runs ? 1 : 0, missed: lost)
        return (
            record,
            Due(
                job: name, at: runs ? passed.latest : nil, missed: lost, from: passed.first,
                to: runs ? passed.previous ?? passed.first : passed.latest)
        )
    }
}

/// The record of a job.
struct JobRecord: Codable, Sendable, Equatable {
    /// The job's times when this was written.
    let definition: String
    /// The moment up to which nothing is left to do, in seconds since 1970.
    var last: Int64
    /// The number of emitted actions.
    private(set) var runs = 0
    /// The number of missed moments.
    private(set) var missed = 0

    /// Counts.
    mutating func note(runs: Int, missed: Int) {
        self.runs.saturatingAdd(runs)
        self.missed.saturatingAdd(missed)
    }
}

extension JobRecord {
    /// Reads a record; bounds its moment, because it may have been written by hand.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        definition = try container.decode(String.self, forKey: .definition)
        last = min(max(try container.decode(Int64.self, forKey: .last), 0), Moments.last)
        runs = max(try container.decode(Int.self, forKey: .runs), 0)
        missed = max(try container.decode(Int.self, forKey: .missed), 0)
    }
}

/// The decision about a job at one look at the time.
struct Due: Codable, Sendable, Equatable {
    /// The name of the job.
    let job: String
    /// The moment for which its action is emitted; nil for no emission.
    let at: Int64?
    /// The number of missed moments before.
    let missed: Int
    /// The first of these moments, or `at` if there is none.
    let from: Int64
    /// The last of them.
    let to: Int64
}

/// The moments of this plugin, in seconds since 1970.
enum Moments {
    /// The beginning of the year 3000; later times of a clock are ignored.
    static let last: Int64 = 32_503_680_000

    /// Returns a moment in whole seconds; nil for an impossible time.
    static func whole(_ moment: Double) -> Int64? {
        moment >= 0 && moment < Double(last) ? Int64(moment) : nil
    }
}
