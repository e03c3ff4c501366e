// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// One job: when an action is emitted, and which.
struct Job: Sendable {
    /// What is done about moments that nobody was there for.
    enum Missed: String, Codable, Sendable {
        /// The action `missed` says so.
        case tell
        /// The job's action is emitted once, however many moments there were.
        case run
        /// They are counted, and that is all.
        case skip
    }

    /// Its name, under which its part of the state stands.
    let name: String
    /// When.
    let recurrence: Recurrence
    /// When, as the state keeps it: what has another text is another job.
    let definition: String
    /// The type it emits.
    let emit: ActionType
    /// What it emits as payload; nil for none.
    let payload: Value?
    /// What is done about moments that nobody was there for.
    let missed: Missed

    /// How late an action may be and still be in time, in seconds.
    static let patience: Int64 = 60
    /// How far a clock may be set back before a job begins anew, in seconds; for less, it waits.
    static let setback: Int64 = 300

    /// What one look at the time comes to, and what is known of the job from then on.
    ///
    /// - Parameter record: what is known of it; nil for nothing.
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

/// What is known of a job.
struct JobRecord: Codable, Sendable, Equatable {
    /// When it is done, as it was when this was written.
    let definition: String
    /// The moment up to which nothing is left to do, in seconds since 1970.
    var last: Int64
    /// How often its action was emitted.
    private(set) var runs = 0
    /// How many of its moments nobody was there for.
    private(set) var missed = 0

    /// A job that begins at a moment.
    init(definition: String, last: Int64) {
        self.definition = definition
        self.last = last
    }

    /// Counts; a restored count may be as large as it gets.
    mutating func note(runs: Int, missed: Int) {
        self.runs = min(self.runs, .max - runs) + runs
        self.missed = min(self.missed, .max - missed) + missed
    }

    /// Reads a record; somebody may have written it by hand, so its moment is bounded.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        definition = try container.decode(String.self, forKey: .definition)
        last = min(max(try container.decode(Int64.self, forKey: .last), 0), Moments.last)
        runs = max(try container.decode(Int.self, forKey: .runs), 0)
        missed = max(try container.decode(Int.self, forKey: .missed), 0)
    }
}

/// What a job comes to at one look at the time.
struct Due: Codable, Sendable, Equatable {
    /// The name of the job.
    let job: String
    /// The moment for which its action is emitted; nil when it is not.
    let at: Int64?
    /// How many moments before are past without it.
    let missed: Int
    /// The first of these moments, or `at` where there is none.
    let from: Int64
    /// The last of them.
    let to: Int64
}

/// The moments that this plugin works with, in seconds since 1970.
enum Moments {
    /// The beginning of the year 3000; clocks that show more are not believed.
    static let last: Int64 = 32_503_680_000

    /// A moment in whole seconds; nil for one that no clock shows.
    static func whole(_ moment: Double) -> Int64? {
        moment >= 0 && moment < Double(last) ? Int64(moment) : nil
    }
}
