// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The jobs of the settings: an object with a name for each.
struct Jobs: Codable, Sendable {
    /// The jobs in the order written, each possibly with a zone of its own.
    let all: [Definition]
    /// The object they were read from.
    private let written: Value

    /// Creates no jobs.
    init() {
        all = []
        written = [:]
    }

    /// Reads an object of jobs, each under its name.
    init(from decoder: any Decoder) throws {
        written = try Value(from: decoder)
        let container = try decoder.container(keyedBy: SettingsName.self)
        all = try container.names().map { key in
            return try Definition(
                name: key.stringValue, container.nestedContainer(keyedBy: Definition.Key.self, forKey: key))
        }
    }

    /// Writes the object they were read from.
    func encode(to encoder: any Encoder) throws { try written.encode(to: encoder) }

    /// The value under a name.
    struct Definition: Sendable {
        /// The members of a job.
        enum Key: String, CodingKey { case every, cron, at, timeZone, emit, payload, missed }

        /// The name.
        private let name: String
        /// The times without the zone; exactly one of three.
        private let time: Time
        /// Its zone; nil for the zone of all jobs.
        private let zone: Zone?
        /// See `Job.emit`.
        private let emit: ActionType
        /// See `Job.payload`.
        private let payload: Value?
        /// See `Job.missed`.
        private let missed: Job.Missed

        /// The times as written.
        private enum Time: Sendable {
            /// A number of seconds.
            case every(Int64)
            /// An expression and its text.
            case cron(CronExpression, text: String)
            /// A date with a time, as text.
            case at(String)
        }

        /// Reads one job.
        fileprivate init(name: String, _ container: KeyedDecodingContainer<Key>) throws {
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
                time = .every(seconds)
            case .cron:
                let text = try container.decode(String.self, forKey: .cron)
                do {
                    time = .cron(try CronExpression(text), text: text)
                } catch {
                    throw CodingFailure(
                        at: container.codingPath + [Key.cron], expected: error.expected, found: error.found)
                }
            default:
                let text = try container.decode(String.self, forKey: .at)
                guard WallTime.moment(of: text, in: .utc) != nil else {
                    throw CodingFailure(
                        at: container.codingPath + [Key.at],
                        expected: "a date and a time such as \"2026-12-24T18:00\"",
                        found: Value.string(text).json())
                }
                time = .at(text)
            }
            zone = try container.decodeIfPresent(Zone.self, forKey: .timeZone)
            let type = try container.decode(String.self, forKey: .emit)
            guard !type.isEmpty, !type.utf8.contains(UInt8(ascii: "*")) else {
                throw CodingFailure(
                    at: container.codingPath + [Key.emit], expected: "one action type without *",
                    found: Value.string(type).json())
            }
            emit = ActionType(type)
            // An explicit null is a payload, so check for the key; and a plain nil would be the value null.
            payload =
                container.contains(.payload)
                ? try container.decode(Value.self, forKey: .payload) : Value?.none
            missed = try container.decodeIfPresent(Job.Missed.self, forKey: .missed) ?? .tell
        }

        /// Returns the job in its zone.
        func job(in common: Zone) -> Job {
            let zone = zone ?? common
            let (recurrence, definition): (Recurrence, String)
            switch time {
            case .every(let seconds): (recurrence, definition) = (.every(seconds), "every \(seconds)")
            case .cron(let expression, let text):
                (recurrence, definition) = (.cron(expression, zone.rules), "cron \(text) \(zone.name)")
            case .at(let text):
                // It was read before, so it is valid.
                let moment = WallTime.moment(of: text, in: zone.rules) ?? 0
                (recurrence, definition) = (.once(moment), "at \(text) \(zone.name)")
            }
            return Job(
                name: name, recurrence: recurrence, definition: definition, emit: emit, payload: payload,
                missed: missed)
        }
    }
}

/// A time zone of the settings, by its name in the IANA database.
struct Zone: Codable, Sendable {
    /// The name, such as `Europe/Berlin`.
    let name: String
    /// The rules from the system's database, read once.
    let rules: TimeZoneRules

    /// Creates coordinated universal time.
    init() {
        name = "UTC"
        rules = .utc
    }

    /// Reads the name; throws an error with its place for one unknown to the system.
    init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        guard let rules = TimeZoneFile.rules(of: name) else {
            throw CodingFailure(
                at: decoder.codingPath,
                expected: "UTC, or a time zone in \(TimeZoneFile.folder) such as \"Europe/Berlin\"",
                found: Value.string(name).json())
        }
        self.name = name
        self.rules = rules
    }

    /// Writes the plain name.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
