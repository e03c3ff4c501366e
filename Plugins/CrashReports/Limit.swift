// SPDX-License-Identifier: Apache-2.0

import GatehouseSDK

/// The number of reports to keep: a setting with a range is a type of its own.
struct Limit: Codable, Sendable {
    /// From 1 to 1,000.
    let count: Int

    /// Creates the default, 20 reports.
    init() { count = 20 }

    /// Reads the number; throws an error with its place for one out of range.
    init(from decoder: any Decoder) throws {
        count = try decoder.singleValueContainer().decode(Int.self)
        guard (1...1000).contains(count) else {
            throw CodingFailure(at: decoder.codingPath, expected: "1 to 1000", found: String(count))
        }
    }

    /// Writes the limit as a plain number, as in the settings.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(count)
    }
}
