// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// A time in settings, in seconds.
struct Seconds: Codable, Sendable {
    /// 366 days.
    static let longest = 31_622_400.0

    /// At least a thousandth, up to `longest`.
    let value: Double

    /// Reads a number; throws an error with its place for one out of range.
    init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Double.self)
        guard (0.001...Self.longest).contains(value) else {
            throw CodingFailure(
                at: decoder.codingPath, expected: "0.001 to 31622400 seconds", found: "\(value)")
        }
    }

    /// Writes the plain number.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

/// A number of actions in a time.
struct Rate: Codable, Sendable {
    /// The number of actions in the time, 1 to 100,000.
    let most: Int
    /// The time, at least a second, so that moments are exact enough for its actions.
    let seconds: Seconds
    /// The number that pass at once after a time of quiet; nil for `most`.
    let burst: Int?

    /// Reads the three; throws errors with their places for numbers out of range.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        most = try container.decode(Int.self, forKey: .most, in: 1...100_000)
        seconds = try container.decode(Seconds.self, forKey: .seconds)
        guard seconds.value >= 1 else {
            throw CodingFailure(
                at: container.codingPath + [CodingKeys.seconds], expected: "1 to 31622400 seconds",
                found: "\(seconds.value)")
        }
        burst =
            container.contains(.burst)
            ? try container.decode(Int.self, forKey: .burst, in: 1...100_000) : nil
    }
}

/// One of a number of actions.
struct Sample: Codable, Sendable {
    /// The possible numbers of actions.
    enum Sizes: SettingRange { static let range = 1...1_000_000 }

    /// The number of actions for each that passes.
    @Bounded<Sizes> var oneOf: Int
}
