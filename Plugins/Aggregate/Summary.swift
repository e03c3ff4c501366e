// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// One summary: which actions it is about, what it looks at, and of which time it tells.
struct Summary: Sendable {
    /// Its name, under which its part of the state stands.
    let name: String
    /// The types it is about.
    let when: ActionTypePatterns
    /// Where the key of an action is in its payload; nil where all are counted together alone.
    let by: JSONPointer?
    /// Where the number is; nil for none.
    let value: JSONPointer?
    /// Where the text is whose different values are counted; nil for none.
    let distinct: JSONPointer?
    /// Which percentiles of the numbers are told, in the order written.
    let percentiles: [Percentile]
    /// The length of a window, in seconds.
    let seconds: Int64
    /// In how many steps a window moves on by its length; one for windows that stand side by side.
    let steps: Int64
    /// How many keys are counted apart.
    let keys: Int

    /// A step's number at a moment: windows begin and end at multiples of steps since 1970, so that no restart moves them.
    func step(at moment: Double) -> Int64 {
        Int64((moment * Double(steps) / Double(seconds)).rounded(.down))
    }

    /// The moment at which a step begins, in seconds since 1970.
    func beginning(of step: Int64) -> Double { Double(step) * Double(seconds) / Double(steps) }
}

/// A percentile and how it is called.
struct Percentile: Codable, Sendable {
    /// From 0 to 100.
    let value: Double
    /// The number as it is written, such as `99.9`.
    let name: String

    /// Reads the number; one out of range is an error with its place.
    init(from decoder: any Decoder) throws {
        let written = try Value(from: decoder)
        guard let value = written.doubleValue, (0...100).contains(value) else {
            throw CodingFailure(
                at: decoder.codingPath, expected: "a number from 0 to 100", found: written.json())
        }
        self.value = value
        name = value == value.rounded() ? "\(Int(value))" : "\(value)"
    }

    /// Writes the plain number.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// The summaries of the settings: an object in which each has a name.
struct Summaries: Codable, Sendable {
    /// In the order written.
    let all: [Summary]
    /// The object they were read from.
    private let written: Value

    /// The members of a summary.
    private enum Key: String, CodingKey { case when, by, value, distinct, percentiles, seconds, steps, keys }

    /// No summaries.
    init() {
        all = []
        written = [:]
    }

    /// Reads an object of at most 32 summaries, each under its name.
    init(from decoder: any Decoder) throws {
        written = try Value(from: decoder)
        let container = try decoder.container(keyedBy: SettingsName.self)
        let names = try container.names()
        guard names.count <= 32 else {
            throw CodingFailure(
                at: container.codingPath, expected: "at most 32 summaries", found: "\(names.count)")
        }
        all = try names.map { name in
            return try Self.summary(
                name.stringValue, container.nestedContainer(keyedBy: Key.self, forKey: name))
        }
    }

    /// Reads one summary.
    private static func summary(
        _ name: String, _ container: KeyedDecodingContainer<Key>
    ) throws -> Summary {
        let percentiles = try container.decodeIfPresent([Percentile].self, forKey: .percentiles) ?? []
        guard percentiles.count <= 16 else {
            throw CodingFailure(
                at: container.codingPath + [Key.percentiles], expected: "at most 16 percentiles",
                found: "\(percentiles.count)")
        }
        let value = try container.decodeIfPresent(JSONPointer.self, forKey: .value)
        guard value != nil || percentiles.isEmpty else {
            throw CodingFailure(
                at: container.codingPath, expected: "a member \"value\" beside \"percentiles\"", found: "none"
            )
        }
        return Summary(
            name: name, when: try container.decode(ActionTypePatterns.self, forKey: .when),
            by: try container.decodeIfPresent(JSONPointer.self, forKey: .by), value: value,
            distinct: try container.decodeIfPresent(JSONPointer.self, forKey: .distinct),
            percentiles: percentiles,
            seconds: try container.decode(Int64.self, forKey: .seconds, in: 1...604_800),
            steps: try container.contains(.steps)
                ? container.decode(Int64.self, forKey: .steps, in: 1...20) : 1,
            keys: try container.contains(.keys)
                ? container.decode(Int.self, forKey: .keys, in: 1...500) : 100)
    }

    /// Writes the object they were read from.
    func encode(to encoder: any Encoder) throws { try written.encode(to: encoder) }
}
