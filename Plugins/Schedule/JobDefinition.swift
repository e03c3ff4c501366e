// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// One job of the settings, whose zone is not settled yet.
struct JobDefinition: NamedSetting {
    /// The members of a job.
    private enum Key: String, CodingKey { case every, cron, at, timeZone, emit, payload, missed }

    /// The name.
    private let name: String
    /// The times in a zone, and these as text.
    private let times: @Sendable (Zone) -> (Recurrence, text: String)
    /// Its zone; nil for the zone of all jobs.
    private let zone: Zone?
    /// See `Job.emit`.
    private let emit: ActionType
    /// See `Job.payload`.
    private let payload: Value?
    /// See `Job.missed`.
    private let missed: Job.Missed

    /// Reads one job.
    init(named name: String, from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.name = name
        let given = [Key.every, .cron, .at].filter(container.contains)
        guard given.count == 1 else {
            throw CodingFailure(
                at: container.codingPath, expected: "one of \"every\", \"cron\" and \"at\"",
                found: given.isEmpty ? "none of them" : "several")
        }
        switch given[0] {
        case .every:
            let seconds = try container.decode(Int64.self, forKey: .every)
            guard (1...31_622_400).contains(seconds) else {
                throw CodingFailure(
                    at: container.codingPath + [Key.every], expected: "1 to 31622400 seconds",
                    found: "\(seconds)")
            }
            times = { _ in (.every(seconds), "every \(seconds)") }
        case .cron:
            let text = try container.decode(String.self, forKey: .cron)
            let expression = try CronExpression(text, at: container.codingPath + [Key.cron])
            times = { (.cron(expression, $0.rules), "cron \(text) \($0.text)") }
        default:
            let text = try container.decode(String.self, forKey: .at)
            guard WallTime.moment(of: text, in: .utc) != nil else {
                throw CodingFailure(
                    at: container.codingPath + [Key.at],
                    expected: "a date and a time such as \"2026-12-24T18:00\"",
                    found: Value.string(text).json())
            }
            // It was read before, so it is valid.
            times = { (.once(WallTime.moment(of: text, in: $0.rules) ?? 0), "at \(text) \($0.text)") }
        }
        zone = try container.decodeIfPresent(Zone.self, forKey: .timeZone)
        emit = try container.decode(EmittedType.self, forKey: .emit).type
        // An explicit null is a payload, so check for the key; and a plain nil would be the value null.
        payload =
            container.contains(.payload)
            ? try container.decode(Value.self, forKey: .payload) : Value?.none
        missed = try container.decodeIfPresent(Job.Missed.self, forKey: .missed) ?? .tell
    }

    /// Returns the job in its zone.
    func job(in common: Zone) -> Job {
        let (recurrence, definition) = times(zone ?? common)
        return Job(
            name: name, recurrence: recurrence, definition: definition, emit: emit, payload: payload,
            missed: missed)
    }
}

/// A time zone of the settings, by its name in the IANA database.
struct Zone: SettingText {
    static let expected = "UTC, or a time zone in \(TimeZoneFile.folder) such as \"Europe/Berlin\""

    /// The name, such as `Europe/Berlin`.
    let text: String
    /// The rules from the system's database, read once.
    let rules: TimeZoneRules

    /// Creates coordinated universal time.
    init() { (text, rules) = ("UTC", .utc) }

    init?(_ name: String) {
        guard let rules = TimeZoneFile.rules(of: name) else { return nil }
        (text, self.rules) = (name, rules)
    }
}
