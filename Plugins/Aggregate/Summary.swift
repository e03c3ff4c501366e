// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// One summary: its actions, the values it uses, and its windows.
struct Summary: Sendable {
    /// Its name, also of its part of the state.
    let name: String
    /// The types it applies to.
    let when: ActionTypePatterns
    /// The place of the key in an action's payload; nil for only a total.
    let by: JSONPointer?
    /// The place of the number; nil for none.
    let value: JSONPointer?
    /// The place of the text whose different values are counted; nil for none.
    let distinct: JSONPointer?
    /// The percentiles of the numbers, in the order written.
    let percentiles: [Percentile]
    /// The length of a window, in seconds.
    let seconds: Int64
    /// The number of steps in which a window moves by its length; one for consecutive windows.
    let steps: Int64
    /// The number of keys counted apart.
    let keys: Int

    /// Returns a moment's step number: windows begin and end at multiples of steps since 1970, so that no restart moves
    /// them.
    func step(at moment: Double) -> Int64 { Int64((moment * Double(steps) / Double(seconds)).rounded(.down)) }

    /// Returns the beginning of a step, in seconds since 1970.
    func beginning(of step: Int64) -> Double { Double(step) * Double(seconds) / Double(steps) }
}

/// A percentile and its name.
struct Percentile: Codable, Sendable {
    /// From 0 to 100.
    let value: Double
    /// The number as written, such as `99.9`.
    let name: String

    /// Reads the number; throws an error with its place for one out of range.
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

extension Summary: NamedSetting {
    static let limit = 32

    /// The members of a summary.
    private enum Key: String, CodingKey { case when, by, value, distinct, percentiles, seconds, steps, keys }

    init(named name: String, from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
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
        self.init(
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
}
